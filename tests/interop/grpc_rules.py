#!/usr/bin/python3
"""Asserts on the wire every rule that console clients rely on.

grpc_rules.py PROGRAM: PROGRAM is started as `PROGRAM SECONDS PORT` (examples/tasks).
Exits with 77 when the gRPC packages for Python are missing.
"""
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

try:
    import grpc
    from grpc_tools import protoc
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent


def load_messages():
    with tempfile.TemporaryDirectory(prefix="sonde-proto-") as out:
        code = protoc.main(["", f"-I{HERE}", f"--python_out={out}", f"--grpc_python_out={out}",
                            str(HERE / "instrument.proto")])
        assert code == 0, "protoc failed"
        sys.path.insert(0, out)
        import instrument_pb2
        import instrument_pb2_grpc
        return instrument_pb2, instrument_pb2_grpc


def ns(t):
    assert t.seconds >= 0 and 0 <= t.nanos < 1_000_000_000, f"a time that clients refuse: {t}"
    return t.seconds * 10**9 + t.nanos


class Rules:
    """What a strict client would know, checking each Update as it comes."""

    def __init__(self):
        self.metadata, self.tasks, self.resources, self.ops = set(), {}, {}, {}
        self.now = 0
        self.ended = set()

    def take(self, update):
        assert update.HasField("now"), "an Update without now"
        assert ns(update.now) >= self.now, "now runs backwards"
        self.now = ns(update.now)
        for new in update.new_metadata.metadata:
            assert new.id.id not in self.metadata and new.metadata.target
            self.metadata.add(new.id.id)
        tasks = update.task_update
        for task in tasks.new_tasks:
            assert task.id.id > 0 and task.id.id not in self.tasks, "ids are never used twice"
            assert task.metadata.id in self.metadata, "metadata comes before or with its task"
            assert task.id.id in tasks.stats_update, "a new task has its stats in the same Update"
            fields = {f.str_name: f for f in task.fields}
            for field in task.fields:
                assert field.WhichOneof("name") == "str_name" and field.WhichOneof("value")
            assert fields["task.id"].u64_val == task.id.id
            assert fields["task.name"].str_val and fields["kind"].str_val
            assert "size.bytes" not in fields and "original_size.bytes" not in fields
            if task.HasField("location"):
                assert task.location.file, "an empty file name ends the client"
            self.tasks[task.id.id] = fields["task.name"].str_val
        for task_id, stats in tasks.stats_update.items():
            assert task_id in self.tasks, "stats of a task that was not announced"
            assert stats.HasField("created_at") and stats.HasField("poll_stats")
            assert stats.waker_clones >= stats.waker_drops
            ended = stats.HasField("dropped_at")
            if not ended:
                assert stats.waker_clones > stats.waker_drops, "would look as if it lost its waker"
            total = (ns(stats.dropped_at) if ended else self.now) - ns(stats.created_at)
            spent = ns(stats.poll_stats.busy_time) + ns(stats.scheduled_time)
            assert 0 <= spent <= total, f"idle would be negative: {task_id} {spent} of {total}"
            assert task_id not in self.ended or ended, "an ended task lives again"
            if ended:
                self.ended.add(task_id)
        for resource in update.resource_update.new_resources:
            assert resource.metadata.id in self.metadata and resource.kind.WhichOneof("kind")
            assert not resource.kind.HasField("known") or resource.kind.known == 0
            assert resource.id.id in update.resource_update.stats_update
            self.resources[resource.id.id] = resource.concrete_type
        for stats in update.resource_update.stats_update.values():
            assert stats.HasField("created_at")
        for op in update.async_op_update.new_async_ops:
            assert op.metadata.id in self.metadata and op.resource_id.id in self.resources
            assert op.id.id in update.async_op_update.stats_update
            self.ops[op.id.id] = op.source
        for stats in update.async_op_update.stats_update.values():
            assert stats.HasField("created_at") and stats.HasField("poll_stats")


def code_of(call):
    try:
        call()
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def check(pb, stub, channel):
    rules = Rules()
    updates = stub.WatchUpdates(pb.Nothing())
    state = stub.WatchState(pb.Nothing())
    assert next(state).temporality == 0
    for _ in range(4):
        rules.take(next(updates))
    assert "produce jobs" in rules.tasks.values() and rules.ended
    assert rules.resources and rules.ops
    print(f"updates: {len(rules.tasks)} tasks, {len(rules.ended)} ended, {len(rules.ops)} operations")

    producer = next(i for i, name in rules.tasks.items() if name == "produce jobs")
    details = stub.WatchTaskDetails(pb.TaskDetailsRequest(id=pb.Id(id=producer)))
    first = next(details)
    assert first.task_id.id == producer and first.WhichOneof("poll_times_histogram") == "histogram"
    for histogram in (first.histogram, first.scheduled_times_histogram):
        raw = histogram.raw_histogram
        assert raw[:4] == bytes.fromhex("1c849313") and len(raw) >= 41
        assert int.from_bytes(raw[4:8], "big") == len(raw) - 40
        assert histogram.high_outliers == 0 or histogram.HasField("highest_outlier")
    details.cancel()

    def ask(task_id):
        return lambda: next(stub.WatchTaskDetails(pb.TaskDetailsRequest(id=pb.Id(id=task_id))))

    assert code_of(ask(10**12)) == grpc.StatusCode.NOT_FOUND
    assert code_of(ask(0)) == grpc.StatusCode.INVALID_ARGUMENT
    assert code_of(lambda: next(stub.WatchTaskDetails(pb.TaskDetailsRequest()))) == \
        grpc.StatusCode.INVALID_ARGUMENT
    unknown = channel.unary_unary("/rs.tokio.console.instrument.Instrument/Sing",
                                  request_serializer=pb.Nothing.SerializeToString,
                                  response_deserializer=pb.Nothing.FromString)
    assert code_of(lambda: unknown(pb.Nothing())) == grpc.StatusCode.UNIMPLEMENTED

    stub.Pause(pb.Nothing())
    assert next(state).temporality == 1
    other = stub.WatchUpdates(pb.Nothing())
    assert next(other).new_metadata.metadata, "who connects while paused gets a snapshot"
    other.cancel()
    stub.Resume(pb.Nothing())
    assert next(state).temporality == 0
    deadline = time.time() + 5
    before = rules.now
    while rules.now < before + 2 * 10**9 and time.time() < deadline:
        rules.take(next(updates))
    print("details, errors, pause and resume: as they should be")


def main():
    pb, pb_grpc = load_messages()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    program = subprocess.Popen([sys.argv[1], "40", str(free)], stdout=subprocess.PIPE, text=True)
    try:
        port = re.search(r":(\d+)$", program.stdout.readline().strip()).group(1)
        time.sleep(1.5)
        options = [("grpc.max_receive_message_length", 4 << 20)]
        with grpc.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
            check(pb, pb_grpc.InstrumentStub(channel), channel)
    finally:
        program.terminate()
        program.wait()


if __name__ == "__main__":
    main()

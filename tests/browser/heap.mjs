// heap.mjs: whether the page takes more and more memory, and how long an update takes to draw.
//   tests/browser/run.sh SONDE WORK_FOLDER --heap [MINUTES]
// A stand-in process with 1,000 tasks and as many nodes as an answer holds, all of them new twice a
// second; the browser's heap after a collection, once a minute. Ends with 1 when its most in the second
// half of the time exceeds that in the first by more than a tenth and 1 MiB (an answer may be under way
// at that moment), or an update costs 100 ms. Others may use the machine meanwhile: each update is timed
// between two rounds of fixed work, and is told in the time that the fastest of these rounds took.
import {launch, open} from './browser.mjs';
import {manyStacks, MockServer, snapshotOf, taskOf} from './mock_server.mjs';

const minutes = Number(process.argv[2] ?? 10);
const browser = await launch();
const mock = new MockServer(process.env.SONDE_SOURCE);
let round = 0;
const renew = () => {
  ++round;
  mock.stacks = manyStacks(4500, round);
  mock.tasks = Array.from({length: 1000}, (_, i) => taskOf(round * 10 + i + 1, 'session ' + i, (i * 7919 * round) % 1e9));
};
renew();
mock.snapshots = [3, 2, 1].map(snapshotOf);
const timer = setInterval(renew, 500);
const page = await open(browser, await mock.start());
const session = await page.context().newCDPSession(page);
await page.waitForFunction(() => sondePage.picture.data !== undefined);
const heap = async () => {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize / 2 ** 20;
};
// The median update: its time, its ratio to the work around it, and the time of the fastest work.
const drawn = () => page.evaluate(async () => {
  const json = await (await fetch('/api/flame?window=10')).json();
  const timed = work => {
    const began = performance.now();
    work();
    return performance.now() - began;
  };
  const numbers = Float64Array.from({length: 1 << 16}, (_, i) => i);
  const reference = () => timed(() => {
    for (let round = 0; round < 60; ++round) for (let i = 1; i < numbers.length; ++i) numbers[i] = (numbers[i] * 31 + numbers[i - 1]) % 65521;
  });
  reference();
  const rounds = [];
  for (let i = 0; i < 9; ++i) {
    const before = reference();
    const took = timed(() => {
      sondePage.picture.show(json);
      sondePage.functions.take(sondePage.picture.data, true);
      sondePage.functions.show();
      sondePage.tasks.show();
    });
    const after = reference();
    rounds.push({took, ratio: (2 * took) / (before + after), least: Math.min(before, after)});
  }
  const least = Math.min(...rounds.map(round => round.least));
  const [{took, ratio}] = rounds.sort((a, b) => a.ratio - b.ratio).slice(4);
  return {took, ratio, least};
});

const sizes = [];
const ratios = [];
let least = Infinity;
for (let minute = 0; minute <= minutes; ++minute) {
  if (minute > 0) {
    for (const key of ['1', '2', '3']) {
      await page.keyboard.press(key);
      await page.waitForTimeout(20_000);
    }
  }
  const update = await drawn();
  ratios.push(update.ratio);
  least = Math.min(least, update.least);
  sizes.push(await heap());
  console.log(`minute ${minute}: heap ${sizes.at(-1).toFixed(1)} MiB, an update took ${update.took.toFixed(0)} ms, ` +
              `${update.ratio.toFixed(2)} times the work beside it`);
}
clearInterval(timer);
await page.close();
await browser.close();
await mock.stop();
const half = Math.ceil(sizes.length / 2);
const [first, second] = [Math.max(...sizes.slice(0, half)), Math.max(...sizes.slice(half))];
const costs = ratios.map(ratio => ratio * least).sort((a, b) => a - b);
const cost = costs[costs.length >> 1];
console.log(`most heap: ${first.toFixed(1)} MiB in the first half, ${second.toFixed(1)} in the second; ` +
            `an update costs ${cost.toFixed(0)} ms in the middle, ${costs.at(-1).toFixed(0)} at most`);
if (page.faults.length > 0) console.log(page.faults.join('\n'));
process.exit(second > first * 1.1 + 1 || cost >= 100 || page.faults.length > 0 ? 1 : 0);

// Reads pprof files in the browser, so that snapshots are drawn without work for the process.

const decoder = new TextDecoder();

// Calls each(field, value) for every field of a message: numbers as they are, the rest as bytes.
function fields(bytes, each) {
  let at = 0;
  const varint = () => {
    let value = 0, factor = 1;
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('the file ends too early');
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const kind = key % 8;
    if (kind === 0) {
      each(Math.floor(key / 8), varint());
    } else if (kind === 2) {
      const size = varint();
      if (at + size > bytes.length) throw new Error('the file ends too early');
      each(Math.floor(key / 8), bytes.subarray(at, at + size));
      at += size;
    } else if (kind === 1 || kind === 5) {
      at += kind === 1 ? 8 : 4;
    } else {
      throw new Error('this is no pprof file');
    }
  }
}

// A repeated number, packed or not.
function numbers(into, value) {
  if (typeof value === 'number') {
    into.push(value);
    return;
  }
  let number = 0, factor = 1;
  for (const byte of value) {
    number += (byte & 0x7f) * factor;
    factor *= 128;
    if (byte < 0x80) { into.push(number); number = 0; factor = 1; }
  }
}

async function unpack(buffer) {
  const bytes = new Uint8Array(buffer);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// {type, unit, durationNs, samples: [{frames, weight}]}: frames from the root, each {name, place, module}. A
// duration that is not known is 0.
export async function readPprof(buffer) {
  const types = [], rows = [], texts = [];
  const mappings = new Map(), locations = new Map(), functions = new Map();
  let wanted = 0, durationNs = 0;
  fields(await unpack(buffer), (field, value) => {
    const message = () => {
      const made = {numbers: {}, lines: [], list1: [], list2: []};
      fields(value, (number, inner) => {
        if (field === 2 && number === 1) numbers(made.list1, inner);
        else if (field === 2 && number === 2) numbers(made.list2, inner);
        else if (field === 4 && number === 4) made.lines.push(inner);
        else if (typeof inner === 'number') made.numbers[number] = inner;
      });
      return made;
    };
    if (field === 1) types.push(message().numbers);
    else if (field === 2) { const {list1, list2} = message(); rows.push([list1, list2]); }
    else if (field === 3) { const {numbers: n} = message(); mappings.set(n[1], n[5] ?? 0); }
    else if (field === 4) {
      const {numbers: n, lines} = message();
      locations.set(n[1], {mapping: n[2] ?? 0, address: n[3] ?? 0, lines: lines.map(bytes => {
        const line = {};
        fields(bytes, (number, inner) => { line[number] = inner; });
        return line;
      })});
    } else if (field === 5) { const {numbers: n} = message(); functions.set(n[1], n); }
    else if (field === 6) texts.push(decoder.decode(value));
    else if (field === 10) durationNs = value;
    else if (field === 14) wanted = value;
  });
  const text = index => texts[index ?? 0] ?? '';
  let column = types.findIndex(type => wanted !== 0 && type[1] === wanted);
  if (column < 0) column = types.length - 1;
  const base = path => path.slice(path.lastIndexOf('/') + 1);

  const named = new Map();
  const framesOf = id => {
    let frames = named.get(id);
    if (frames !== undefined) return frames;
    const {mapping, address, lines} = locations.get(id) ?? {mapping: 0, address: 0, lines: []};
    const module = base(text(mappings.get(mapping)));
    frames = lines.map(line => {
      const made = functions.get(line[1]) ?? {};
      const place = text(made[4]);
      return {name: text(made[2]) || `[${module || 'unknown'}]`, module, place: place && place + ':' + (made[5] || line[2] || 0)};
    }).reverse();
    if (frames.length === 0) frames = [{name: module ? `[${module}]` : '0x' + address.toString(16), module, place: ''}];
    named.set(id, frames);
    return frames;
  };
  return {type: text(types[column]?.[1]), unit: text(types[column]?.[2]), durationNs,
          samples: rows.map(([ids, values]) => ({frames: ids.toReversed().flatMap(framesOf), weight: values[column] ?? 0}))};
}

// What /api/flame would answer for the profile, or for its difference to `before`, which is scaled to the
// same time where both durations are known. colorOf(frame) is a class of the palette.
export function flameOf(now, before, colorOf) {
  const frames = [{name: 'all', module: '', place: ''}];
  const index = new Map([['all', 0]]);
  const root = {frame: 0, children: new Map(), self: 0, base: 0};
  const add = (profile, key, factor) => {
    for (const {frames: stack, weight} of profile.samples) {
      let node = root;
      for (const frame of stack) {
        if (!index.has(frame.name)) index.set(frame.name, frames.push(frame) - 1);
        const number = index.get(frame.name);
        let child = node.children.get(number);
        if (child === undefined) node.children.set(number, child = {frame: number, children: new Map(), self: 0, base: 0});
        node = child;
      }
      node[key] += weight * factor;
    }
  };
  add(now, 'self', 1);
  if (before !== null) add(before, 'base', now.durationNs > 0 && before.durationNs > 0 ? now.durationNs / before.durationNs : 1);
  const nodes = [], bases = [];
  const pending = [[root, 0]];
  while (pending.length > 0) {
    const [node, depth] = pending.pop();
    nodes.push(node.frame, depth, node.self);
    bases.push(Math.round(node.base));
    for (const child of node.children.values()) pending.push([child, depth + 1]);
  }
  const modules = [...new Set(frames.map(frame => frame.module).filter(module => module !== ''))];
  const color = frames.map(colorOf).join('');
  return {version: 1, title: '', subtitle: [], type: now.type, unit: now.unit, callers: false, order: 'name', layout: 'icicle',
          colors: 'module', scheme: 'auto', left_out: 0, modules, covered_ns: now.durationNs || null,
          base_covered_ns: before?.durationNs || null,
          frames: {name: frames.map(frame => frame.name), place: frames.map(frame => frame.place),
                   module: frames.map(frame => modules.indexOf(frame.module)), kind: 'u'.repeat(frames.length), color, kind_color: color},
          nodes, ...(before === null ? {} : {base: bases})};
}

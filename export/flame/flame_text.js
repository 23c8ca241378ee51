// Names in the room they have, and numbers with their units.
(function (sonde) {
'use strict';

const isWord = c => /[\w\u0080-\u{10ffff}]/u.test(c);
const count = text => [...text].length;

// Behind the bracket that closes the one at `at`, or the end of the name.
function skipBrackets(name, at) {
  let depth = 0;
  for (; at < name.length; ++at) {
    const c = name[at];
    if ('<({['.includes(c)) ++depth;
    if ((c === '>' && name[at - 1] !== '-') || c === ')' || c === '}' || c === ']') {
      if (--depth === 0) return at + 1;
    }
  }
  return name.length;
}

// Behind the symbol of "operator<<" or "operator()" at `at`; `at` if there is none.
function skipOperator(name, at) {
  if (!name.startsWith('operator', at) || (at > 0 && isWord(name[at - 1]))) return at;
  let end = at + 8;
  if (end < name.length && isWord(name[end])) return at;
  if (name.startsWith('()', end)) return end + 2;
  while (end < name.length && name[end] !== '(') ++end;
  return end;
}

function isCode(name) {
  if (name.includes('::')) return true;
  const bracket = name.search(/[(<]/);
  if (bracket > 0) return isWord(name[bracket - 1]) || name[bracket - 1] === '.';
  return !name.includes(' ');
}

const FILE_ENDINGS = new Set(
    ['c', 'cc', 'cpp', 'go', 'h', 'hpp', 'java', 'js', 'py', 'rb', 'rs', 'sh', 'so', 'ts']);

// What a compiler made of a function, up to the end of its name: ".isra.0", ".constprop.0.cold".
const CLONE_MARK =
    /^(\.(\d+|isra|constprop|part|cold|llvm|clone|lto_priv|resume|warm|localalias|cfi|cfi_jt|destroy|cleanup))+$/;

// {result, qualifiers, own, args, params} of "void ns::run<int>(int)".
function takeApart(name) {
  const prefix = /^[\w\u0080-\u{10ffff}-]+:(?!:) *(?=[^ ])/u.exec(name)?.[0] ?? '';
  const parts = {result: '', qualifiers: prefix === '' ? [] : [prefix], own: name.slice(prefix.length),
                 args: '', params: ''};
  if (!isCode(name)) return parts;
  const hasScopes = name.includes('::');
  let start = prefix.length, ownEnd = -1, at = start;
  while (at < name.length) {
    const behind = skipOperator(name, at);
    if (behind !== at) {
      at = ownEnd = behind;
      continue;
    }
    const c = name[at];
    if (c === '.' && at > start && CLONE_MARK.test(name.slice(at))) {
      const cut = ownEnd < 0 ? at : Math.min(ownEnd, at);
      return {...parts, own: name.slice(start, cut), args: name.slice(cut, at),
              params: name.slice(at)};
    }
    const atScope = name.startsWith('::', at);
    // "path:docs/plan.md" is a value under a key: its dots are those of file names.
    const atDot = c === '.' && prefix === '' && !FILE_ENDINGS.has(name.slice(at + 1));
    if (atScope || (!hasScopes && (c === '/' || atDot))) {
      const end = at + (atScope ? 2 : 1);
      if (end < name.length) {
        parts.qualifiers.push(name.slice(start, end));
        start = end;
        ownEnd = -1;
      }
      at = end;
    } else if (c === ' ' && hasScopes && ownEnd < 0) {
      parts.result = name.slice(0, at + 1);
      parts.qualifiers = [];
      start = ++at;
    } else if (c === '<' || c === '{' || c === '[') {
      if (c === '<' && at > start && ownEnd < 0) ownEnd = at;
      at = skipBrackets(name, at);
    } else if (c === '(') {
      const end = skipBrackets(name, at);
      if (!name.startsWith('::', end) && name[end] !== '.' && at > start) {
        const cut = ownEnd < 0 ? at : Math.min(ownEnd, at);
        return {...parts, own: name.slice(start, cut), args: name.slice(cut, at),
                params: name.slice(at)};
      }
      at = end;
    } else {
      ++at;
    }
  }
  const cut = ownEnd < 0 ? name.length : ownEnd;
  return {...parts, own: name.slice(start, cut), args: name.slice(cut)};
}

function withoutArguments(qualifier) {
  const open = qualifier.indexOf('<');
  const close = qualifier.lastIndexOf('>');
  return open < 0 || close < open + 4 ? qualifier
      : qualifier.slice(0, open + 1) + '…' + qualifier.slice(close);
}

// `name` in at most `room` characters: what says least goes first (the mark of the kernel or a
// JIT, which the colour shows too, and those of a compiler), the function's own name last. The
// picture that is shown without script follows the same rule.
function shortName(name, room) {
  if (room < 3) return '';
  if (name.length <= room || count(name) <= room) return name;
  const plain = name.replace(/_\[[a-z]\]$/, '');
  if (count(plain) <= room) return plain;
  let {result, qualifiers, own, args, params} = takeApart(plain);
  let outer = qualifiers.join('');
  const whole = () => result + outer + own + args + params;
  const fits = () => count(whole()) <= room;
  const short = qualifiers.map(withoutArguments);
  const steps = [
    () => { params = params.startsWith('.') ? '' : params.length > 3 ? '(…)' : params; },
    () => { result = ''; },
    () => { outer = short.join(''); },
    () => { if (args.length > 3) args = '<…>'; },
    () => { params = ''; },
    ...short.slice(1).map((_, first) => () => { outer = '…' + short.slice(first + 1).join(''); }),
    () => { outer = ''; },
    () => { args = ''; },
  ];
  for (const step of steps) {
    step();
    if (fits()) return whole();
  }
  const letters = [...own];
  return letters.length <= room ? own : letters.slice(0, room - 1).join('') + '…';
}

// To the cent from a dollar on, smaller amounts by what they are.
function dollars(nanodollars) {
  const value = Math.abs(nanodollars) / 1e9;
  const text = value.toFixed(value >= 1 || value === 0 ? 2 : value >= 0.001 ? 4 : 9);
  return (nanodollars < 0 ? '-$' : '$') + text.replace(/\B(?=(\d{3})+\.)/g, ',');
}

const TIME = {nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9};

// "1,234 samples", "12.3 ms", "1.23 MiB".
function formatWeight(value, {type, unit}) {
  if (TIME[unit] !== undefined) {
    return scaled(value * TIME[unit], [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']]);
  }
  if (unit === 'bytes') {
    return scaled(value, [[1, 'B'], [2 ** 10, 'KiB'], [2 ** 20, 'MiB'], [2 ** 30, 'GiB'],
                          [2 ** 40, 'TiB']]);
  }
  if (unit === 'nanodollars') return dollars(value);
  return formatCount(value) + ' ' + (unit !== 'count' && unit !== '' ? unit : type || 'samples');
}

// Three significant digits in the largest step that fits.
function scaled(value, steps) {
  let [size, unit] = steps[0];
  for (const step of steps) if (Math.abs(value) >= step[0] * 0.9995) [size, unit] = step;
  const number = value / size;
  const abs = Math.abs(number);
  const decimals = abs >= 99.95 || Number.isInteger(number) ? 0 : abs >= 9.995 ? 1 : 2;
  return number.toFixed(decimals) + ' ' + unit;
}

// Commas between thousands, as in the picture that is shown without script.
function formatCount(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

// 0 of nothing is 0.
function formatPercent(part, whole) {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  return percent.toFixed(Math.abs(percent) < 10 ? 2 : 1) + '\u2009%';
}

// "+3.2 ms (+12 %)", "new", "gone".
function formatChange(base, now, type) {
  const change = now - base;
  if (change === 0) return 'no change';
  const sign = change > 0 ? '+' : '−';
  const absolute = sign + formatWeight(Math.abs(change), type);
  if (base === 0) return absolute + ' (new)';
  if (now === 0) return absolute + ' (gone)';
  return absolute + ' (' + sign + formatPercent(Math.abs(change), base) + ')';
}

Object.assign(sonde, {shortName, takeApart, formatWeight, formatCount, formatPercent, formatChange});
})(globalThis.sondeFlame ??= {});

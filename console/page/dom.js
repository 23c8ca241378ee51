// Small helpers to make elements.

export const byId = id => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  const made = document.createElement(name);
  if (classes.length > 0) made.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function picture(tag, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// A square in a colour of the palette.
export function swatch(color) {
  const square = picture('svg', {class: 'swatch'});
  square.append(picture('rect', {class: color, width: 10, height: 10}));
  return square;
}

// Draws `values` into an svg of 120 by 24 as a line from the left to the right, 0 at the bottom.
export function drawLine(svg, values, slots = values.length) {
  const top = Math.max(...values, 1e-9);
  const step = 120 / Math.max(slots - 1, 1);
  const points = values.map((value, i) =>
      `${(120 - (values.length - 1 - i) * step).toFixed(1)},${(23 - (22 * value) / top).toFixed(1)}`);
  svg.replaceChildren(picture('polyline', {points: points.join(' ')}));
}

export function spark(values, slots) {
  const svg = picture('svg', {class: 'spark', viewBox: '0 0 120 24', preserveAspectRatio: 'none'});
  if (values.length > 1) drawLine(svg, values, slots);
  return svg;
}

const STEPS = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's'], [60e9, 'min'], [3600e9, 'h']];

export function duration(ns) {
  if (ns < 0) return '−' + duration(-ns);
  let [size, unit] = STEPS[0];
  for (const step of STEPS) if (ns >= step[0] * 0.9995) [size, unit] = step;
  const value = ns / size;
  return value.toFixed(value >= 99.95 || value === 0 ? 0 : value >= 9.995 ? 1 : 2) + ' ' + unit;
}

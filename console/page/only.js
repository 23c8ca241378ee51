// Only: the choice of one thread or label.

import {element} from './dom.js';

// Tasks are chosen in their list, and threads by name.
const LEFT_OUT = ['task', 'task_id', 'tid', 'thread'];

export class Only {
  constructor(box, state) {
    this.box = box;
    this.state = state;
    this.known = '';
    box.addEventListener('change', () => {
      const [kind, value] = box.value === '' ? [null, ''] : JSON.parse(box.value);
      state.set({thread: kind === 'thread' ? value : '', label: kind === 'label' ? value : '', snapshot: '', against: '', zoom: ''});
    });
  }

  // `labels` of an answer of /api/labels. An open list is left alone.
  replace(labels) {
    if (document.activeElement === this.box) return;
    const known = JSON.stringify(labels.map(({key, values}) => [key, values.map(({value}) => value).sort()]));
    if (known === this.known) return;
    this.known = known;
    const groupOf = (title, kind, values) => element('optgroup', {label: title},
        ...values.map(([text, value]) => element('option', {value: JSON.stringify([kind, value])}, text)));
    const threads = labels.find(({key}) => key === 'thread')?.values ?? [];
    const others = labels.filter(({key}) => !LEFT_OUT.includes(key));
    this.box.replaceChildren(element('option', {value: ''}, 'all threads'),
                             ...(threads.length === 0 ? [] : [groupOf('thread', 'thread', threads.map(({value}) => [value, value]))]),
                             ...others.map(({key, values}) => groupOf(key, 'label', values.map(({value}) => [value, `${key}=${value}`]))));
    this.show();
  }

  // What is chosen stays in the list when it has no samples for a while.
  show() {
    const {thread, label} = this.state;
    const wanted = thread !== '' ? JSON.stringify(['thread', thread]) : label !== '' ? JSON.stringify(['label', label]) : '';
    if (![...this.box.options].some(({value}) => value === wanted)) {
      this.box.append(element('option', {value: wanted}, thread || label));
    }
    this.box.value = wanted;
  }
}

// The rules that hold on every page in every state. `chosen`: how many things a person has chosen.
(chosen) => {
  const faults = [];
  const tell = (rule, one) => faults.push(
    `${rule}: ${one.tagName.toLowerCase()}.${one.className} ${(one.textContent || one.id).trim().slice(0, 50)}`);
  const shown = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && !one.closest('.sr, .skip');

  // A form field is at least 40 px high and has a border.
  const FIELDS = 'input:not([type=radio], [type=checkbox], [type=range]), select, textarea';
  for (const field of document.querySelectorAll(FIELDS)) {
    if (!shown(field)) continue;
    const style = getComputedStyle(field), box = field.getBoundingClientRect();
    const sides = ['Top', 'Right', 'Bottom', 'Left'];
    const lined = sides.every((side) => parseFloat(style[`border${side}Width`]) >= 1
      && style[`border${side}Style`] !== 'none' && !/, 0\)$|transparent/.test(style[`border${side}Color`]));
    if (box.height < 40) tell(`a field is ${box.height} px high`, field);
    if (!lined) tell('a field has no border', field);
    if (parseFloat(style.fontSize) < 14) tell('a field has small type', field);
  }

  // Nothing is chosen that nobody chose.
  const CHOSEN = '.felt input:checked, .felt .pick.held:not(:disabled), .felt .slots:not(.pad) .slot:not(:disabled)';
  const picked = [...document.querySelectorAll(CHOSEN)];
  if (picked.length !== chosen) faults.push(`${picked.length} things are chosen, and a person chose ${chosen}`);

  // A tie is visible on the table.
  const felt = document.querySelector('.felt'), tickets = [...document.querySelectorAll('.ticket .what')];
  const last = tickets.findLastIndex((one) => /tie|dice show|sealed a choice/.test(one.textContent)
    && !/^(?!You )\S+ sealed/.test(one.textContent));
  if (felt && last >= 0 && /tie/.test(tickets[last].textContent) && !/tie\b/i.test(felt.innerText)) {
    faults.push('a tie is not visible on the table');
  }

  // Every control has a name.
  for (const one of document.querySelectorAll('a[href], button, input, select, textarea, summary')) {
    if (!one.checkVisibility()) continue;
    const by = (one.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id));
    const name = [one.ariaLabel, ...by.map((each) => each?.textContent),
      ...[...one.labels ?? []].map((each) => each.textContent || each.querySelector('[aria-label]')?.ariaLabel),
      one.textContent, one.title, one.querySelector('[aria-label]')?.ariaLabel].find((text) => text?.trim());
    if (!name) tell('a control has no name', one);
  }

  // No text overlaps another or leaves its box or the window.
  const clips = new Map();
  const clipOf = (one) => {
    if (!one || one === document.documentElement) return [0, 0, innerWidth + 1, Infinity];
    if (!clips.has(one)) {
      const [l, t, r, b] = clipOf(one.parentElement), style = getComputedStyle(one);
      const box = one.getBoundingClientRect();
      const cut = style.overflowX !== 'visible';
      clips.set(one, cut ? [Math.max(l, box.left), Math.max(t, box.top),
        Math.min(r, box.right), Math.min(b, box.bottom)] : [l, t, r, b]);
    }
    return clips.get(one);
  };
  const texts = [];
  const modal = document.querySelector('dialog[open]');
  const walker = document.createTreeWalker(modal ?? document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.textContent.trim() || parent.closest('svg, option, noscript, script, style') || !shown(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const [l, t, r, b] = clipOf(parent);
    const box = parent.closest('button, .btn, .tag, .stone, .card, .notice, .felt, dialog, td, th');
    const outer = box?.getBoundingClientRect();
    for (const rect of range.getClientRects()) {
      if (rect.width < 2 || rect.bottom <= t || rect.top >= b || rect.left >= r) continue;
      const scrolls = (one) => one && (/auto|scroll/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
      if (rect.right > r + 1 && !scrolls(parent)) tell('text leaves the window or is cut off', parent);
      else if (outer && (rect.right > outer.right + 1.5 || rect.left < outer.left - 1.5) && !scrolls(parent)) {
        tell('text leaves its box', parent);
      }
      const inset = rect.height * .22;
      texts.push({ parent, l: rect.left + 1, r: Math.min(rect.right, r) - 1,
        t: Math.max(rect.top + inset, t), b: Math.min(rect.bottom - inset, b) });
    }
  }
  texts.sort((one, other) => one.t - other.t);
  for (const [i, one] of texts.entries()) {
    for (let j = i + 1; j < texts.length && texts[j].t < one.b; j++) {
      const other = texts[j];
      if (one.parent === other.parent || other.l >= one.r || other.r <= one.l) continue;
      tell(`text lies over “${other.parent.textContent.trim().slice(0, 40)}”`, one.parent);
    }
  }
  return [...new Set(faults)];
}

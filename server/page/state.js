// What all parts of the page share.

const state = {
  samples: [],      // of the last 15 minutes, oldest first
  stats: null,      // the newest
  minutes: 15,
  hover: null,      // the time pointed at, Unix milliseconds
  keyboard: false,  // it was pointed at with the keyboard
};

const byId = id => document.getElementById(id);

function make(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

// setText leaves the page alone if nothing changed: selections survive.
function setText(e, text) {
  if (e.textContent !== text) e.textContent = text;
}

// fill makes parent hold n children made by create and lets update change each.
function fill(parent, n, create, update) {
  while (parent.children.length > n) parent.lastChild.remove();
  while (parent.children.length < n) parent.append(create());
  for (let i = 0; i < n; i++) update(parent.children[i], i);
}


"use strict";
const slides = [...document.querySelectorAll("section")];
const here = () => slides.reduce((best, slide, at) => (Math.abs(slide.getBoundingClientRect().top) < Math.abs(slides[best].getBoundingClientRect().top) ? at : best), 0);
const show = (at) => slides[Math.max(0, Math.min(slides.length - 1, at))].scrollIntoView();
const steps = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, Enter: 1, j: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Backspace: -1, k: -1 };
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("a")) return;
  if (event.key in steps) show(here() + (event.key === " " && event.shiftKey ? -1 : steps[event.key]));
  else if (event.key === "Home") show(0);
  else if (event.key === "End") show(slides.length - 1);
  else if (event.key === "f") document.documentElement.requestFullscreen?.();
  else return;
  event.preventDefault();
});
let touched = null;
addEventListener("touchstart", (event) => { touched = event.changedTouches[0]; }, { passive: true });
addEventListener("touchend", (event) => {
  const moved = touched ? event.changedTouches[0].clientX - touched.clientX : 0;
  if (Math.abs(moved) > 60) show(here() + (moved < 0 ? 1 : -1));
});

// Runs before the first paint, so that a chosen theme never flashes the other one. src/lib/theme.ts owns the key.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("ibid.theme");
  } catch {
    // Storage may be forbidden; the system's theme is right then.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();

// The player's settings: symbols, theme, time limit of a search (`patience`, in seconds).

import { el } from "./dom.js";
import { field, openDialog, select } from "./dialog.js";
import { load, save } from "./storage.js";

const CHOICES = {
  symbols: { name: "Symbols in the cells", defaultValue: "auto", options: [
    ["auto", "only where needed"], ["always", "always"]] },
  theme: { name: "Page", defaultValue: "system", options: [
    ["system", "as the system"], ["light", "light"], ["dark", "dark"]] },
  patience: { name: "A search of a position may take", defaultValue: "20", options: [
    ["0.5", "half a second"], ["5", "5 seconds"], ["20", "20 seconds"], ["120", "2 minutes"], ["1800", "30 minutes"]] },
};

/**
 * The settings. `get` reads one, `onChange` registers a listener, `dialog` lets the player choose.
 * @returns {{get: (name: string) => string, onChange: (listener: () => void) => void, dialog: () => void}}
 */
export function settings() {
  const values = load("settings") ?? {};
  const listeners = [];
  const get = (name) => {
    const { options, defaultValue } = CHOICES[name];
    return options.some(([value]) => value === values[name]) ? values[name] : defaultValue;
  };
  function apply() {
    const theme = get("theme");
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const listener of listeners) listener();
  }
  function set(name, value) {
    // Another tab may have changed other settings.
    Object.assign(values, load("settings"), { [name]: value });
    save("settings", values);
    apply();
  }
  function dialog() {
    const fieldOf = ([key, { name, options }]) => field(name, select(options, get(key), (value) => set(key, value)));
    openDialog("Settings", () => [el("div", { class: "fields long" }, ...Object.entries(CHOICES).map(fieldOf))]);
  }
  apply();
  return { get, onChange: (listener) => listeners.push(listener), dialog };
}

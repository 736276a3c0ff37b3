// The rules of a game of coloured cells: in words, and the dialog that changes them.

import { el } from "./dom.js";
import { field, form, openDialog } from "./dialog.js";

/** The rules of a game that differ from the default, in words. */
export const rulesText = (puzzle, game) =>
  [...puzzle.ruleTexts(game), ...(game.limit === undefined ? [] : [`limit ${game.limit}`])].join(", ");

/** The dialog for the rules of a game. `change` is called with the selected options and limit. */
export function rulesDialog(puzzle, game, change) {
  const rules = puzzle.ruleInputs?.(game.options ?? {}, game.symbols);
  const limit = el("input", { type: "number", inputmode: "numeric", min: 1, step: 1, value: game.limit ?? "", placeholder: "none" });
  const limitField = field(puzzle.limitLabel, limit, "a limit to play against");
  const dialog = openDialog("Rules", () => [el("p", { id: "how-to" }, puzzle.howTo),
    form([rules?.element, el("div", { class: "fields" }, limitField)].filter(Boolean), "Play by these rules", async () => {
      await change({ options: rules?.read() ?? {}, limit: limit.value ? Number(limit.value) : undefined });
      dialog.close();
    })]);
}

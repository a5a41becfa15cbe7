/** Where the focus goes on the board. */

const SHOWN_TAB = '[role="tab"][aria-selected="true"]'

/** Focuses the first of these places that is in the page. */
function focusFirst(...places: string[]): void {
  places
    .map((place) => document.querySelector<HTMLElement>(place))
    .find((element) => element !== null)
    ?.focus()
}

export const focusQuickAdd = () => focusFirst('[data-quick-add]')
export const focusSearch = () => focusFirst('[data-search]')
export const focusTab = () => focusFirst(SHOWN_TAB)
export const focusList = () => focusFirst('[data-title][tabindex="0"]', SHOWN_TAB)

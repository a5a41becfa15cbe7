import { storeOf, useStore } from '../client/store.ts'
import { type Filter, NO_FILTER, SORTS, type Sort } from './groups.ts'

/** What the person wants to see of the board, and in which order. The filter lasts as long as the page, the order as long as the device. */

const STORED_AS = 'fivetab.sort'

const filter = storeOf<Filter>(NO_FILTER)
const sort = storeOf<Sort>(SORTS.find((known) => known === localStorage.getItem(STORED_AS)) ?? 'newest')

export function useFilter(): Filter {
  return useStore(filter)
}

export function changeFilter(fields: Partial<Filter>): void {
  filter.set((before) => ({ ...before, ...fields }))
}

export function useSort(): Sort {
  return useStore(sort)
}

export function chooseSort(chosen: Sort): void {
  localStorage.setItem(STORED_AS, chosen)
  sort.set(() => chosen)
}

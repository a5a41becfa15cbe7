import type { Value } from './store.ts'

/**
 * One page of a list: rows by key, not by offset, so that what comes and goes meanwhile neither hides nor repeats a row that stays.
 *
 * `columns` sort the list; the last of them is unique, so the order is total. `after` holds their values in the last row of the page before.
 */
export interface PageRequest {
  columns: readonly string[]
  descending: boolean
  after: readonly Value[] | null
  limit: number
}

/** By which columns a list is sorted, and of each what type it has, so that a made-up place is refused. */
export interface Order {
  columns: readonly string[]
  types: readonly ('string' | 'number' | 'integer')[]
}

/** An order with the values of its columns in one item. */
export interface SortOrder<T> extends Order {
  keyOf(item: T): Value[]
}

/** Conditions joined by `and`, with the values of their parameters. */
export interface Filter {
  conditions: string[]
  values: Value[]
}

/** Adds a condition on one value: `condition` names it as `?`. */
export function filterBy(filter: Filter, condition: string, value: Value): void {
  filter.values.push(value)
  filter.conditions.push(condition.replaceAll('?', `$${filter.values.length}`))
}

/** The statement for a page, asking for one row more than the limit so that the caller sees whether there are more. */
export function pageStatement(select: string, filter: Filter, page: PageRequest): { sql: string; values: Value[] } {
  const conditions = [...filter.conditions]
  const values = [...filter.values]
  if (page.after !== null) {
    const places = page.after.map((value) => `$${values.push(value)}`)
    conditions.push(`(${page.columns.join(', ')}) ${page.descending ? '<' : '>'} (${places.join(', ')})`)
  }
  const order = page.columns.map((column) => (page.descending ? `${column} desc` : column)).join(', ')
  values.push(page.limit + 1)
  return { sql: `${select} where ${conditions.join(' and ')} order by ${order} limit $${values.length}`, values }
}

/** The parameters of a query string as texts; one that is given more than once is a list of them, for the check to refuse. */
export function parseQuery(query: string): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(query)) {
    const before = parameters[name]
    parameters[name] = before === undefined ? value : [before, value].flat()
  }
  return parameters
}

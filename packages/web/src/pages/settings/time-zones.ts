/** Time zones to choose from, by the part of the world that they are in. */

export interface ZoneGroup {
  /** `Europe`; empty for those that are nowhere, such as UTC. */
  area: string
  zones: readonly { name: string; place: string }[]
}

/** All that are known here, with `also`, which may be one that the service knows under another name. */
export function zoneGroups(known: readonly string[], also: string): ZoneGroup[] {
  const names = [...new Set(['UTC', ...known, also])].sort()
  const groups = Map.groupBy(names, areaOf)
  return [...groups].map(([area, of]) => ({ area, zones: of.map((name) => ({ name, place: placeOf(name) })) })).sort(byArea)
}

function areaOf(name: string): string {
  const end = name.indexOf('/')
  return end < 0 ? '' : name.slice(0, end)
}

function placeOf(name: string): string {
  return name
    .slice(name.indexOf('/') + 1)
    .replaceAll('_', ' ')
    .replaceAll('/', ', ')
}

function byArea(a: ZoneGroup, b: ZoneGroup): number {
  return a.area < b.area ? -1 : Number(a.area > b.area)
}

import type { FastifyInstance } from 'fastify'

/** The paths there are, each with its methods: for telling a wrong method from a wrong path. */
export interface Path {
  pattern: RegExp
  methods: Set<string>
}

/** The list of all paths of `app`. It fills as routes are added after this call. */
export function pathList(app: Pick<FastifyInstance, 'addHook'>): Path[] {
  const paths = new Map<string, Path>()
  const list: Path[] = []
  app.addHook('onRoute', ({ url, method }) => {
    const known = paths.get(url)
    const path = known ?? { pattern: patternOf(url), methods: new Set() }
    if (known === undefined) {
      paths.set(url, path)
      list.push(path)
    }
    for (const one of [method].flat()) path.methods.add(one)
  })
  return list
}

function patternOf(route: string): RegExp {
  const segments = route.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment)))
  return new RegExp(`^${segments.join('/')}$`)
}

/** The methods that the path of `url` has; none when there is no such path. */
export function allowedMethods(paths: readonly Path[], url: string): string[] {
  const path = decoded(pathIn(url))
  return paths.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods])
}

/** What comes before the query. A fragment does not belong into a request (RFC 9112, 3.2); the router takes one for a query too. */
function pathIn(url: string): string {
  return url.split(/[?#]/, 1)[0] as string
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** True for a path with a segment that is empty, which no path of ours has, whatever the router makes of it. */
export function hasEmptySegment(url: string): boolean {
  // A proxy may name the whole address (RFC 9112, 3.2.2).
  const path = pathIn(url).replace(/^\w+:\/\/[^/]*/, '')
  return path.includes('//') || path.endsWith('/')
}

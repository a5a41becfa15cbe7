import build from 'fast-json-stringify'

/** Answers by their schemas: only what a shape names leaves the service, and each shape's serialiser is built once. */

type Serialize = (value: unknown) => string

const built = new Map<string, Serialize>()

interface Reply {
  schema: unknown
  httpStatus?: string
}

/** What writes the answers of a route. `shared` are the shapes that schemas refer to by name. */
export function serializers(shared: readonly object[]): (reply: Reply) => Serialize {
  const schema = Object.fromEntries(shared.map((shape) => [(shape as { $id: string }).$id, shape]))
  return (reply) => {
    // A problem document is made in one place, of nothing but what it is to say.
    if (Number(reply.httpStatus) >= 400) return JSON.stringify
    const key = JSON.stringify(reply.schema)
    const serialize = built.get(key) ?? (build(reply.schema as object, { schema } as build.Options) as Serialize)
    built.set(key, serialize)
    return serialize
  }
}

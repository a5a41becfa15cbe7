import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, type Resource } from './builders.ts'
import { assertInvalid, ENGINES, openWorld, type World } from './world.ts'

/** The titles of the tasks that a search finds. */
async function found(world: World, q: string): Promise<string[]> {
  const reply = await world.api.get(`/tasks?q=${encodeURIComponent(q)}`)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.map((task: Resource) => task.title)
}

interface Row {
  what: string
  title: string
  notes?: string
  finds: string[]
  misses?: string[]
}

const ROWS: Row[] = [
  { what: 'a word of the title', title: 'Call the mover', finds: ['mover', 'Call'], misses: ['shaker'] },
  { what: 'a word of the notes', title: 'Call', notes: 'Ask for boxes', finds: ['boxes'], misses: ['crates'] },
  { what: 'a word on a later line of the notes', title: 'Call', notes: 'Ask\n\tfor boxes', finds: ['boxes', 'ask boxes'] },
  {
    what: 'all words in any order, some in the title and some in the notes',
    title: 'Call the mover',
    notes: 'Ask for boxes',
    finds: ['boxes call', 'call boxes', 'the for mover ask'],
    misses: ['boxes crates', 'call shaker'],
  },
  { what: 'parts of words', title: 'Announcement', finds: ['announce', 'ment', 'uncem', 'A'], misses: ['announced', 'anouncement'] },
  { what: 'words, however many spaces are between', title: 'Call the mover', finds: ['  call \u00a0 mover '] },
  { what: 'the same word twice', title: 'Call', finds: ['call call'] },
  { what: 'no word across title and notes', title: 'Call', notes: 'mover', finds: ['call mover'], misses: ['callmover'] },
  { what: 'ASCII in any case', title: 'Call THE mover', finds: ['CALL', 'the', 'MoVeR'] },
  { what: 'umlauts in any case', title: 'Über die Brücke', finds: ['über', 'ÜBER', 'BRÜCKE'], misses: ['uber'] },
  { what: 'Cyrillic in any case', title: 'Позвонить Маме', finds: ['позвонить', 'ПОЗВОНИТЬ', 'маме'] },
  { what: 'Greek in any case', title: 'Η Οδός', finds: ['η οδός', 'Η ΟΔΌΣ', 'οδό', 'ΟΔΌ'] },
  { what: 'a part of a Greek word that ends in sigma, in any case', title: 'Ο Σίσυφος', finds: ['σίσ', 'ΣΊΣ', 'Σίσ'] },
  { what: 'decomposed letters as composed ones', title: 'Cafe\u0301', finds: ['caf\u00e9', 'CAF\u00c9', 'cafe\u0301'] },
  { what: 'composed letters as decomposed ones', title: 'Caf\u00e9', finds: ['cafe\u0301', 'caf\u00e9'] },
  { what: 'full-width letters as plain ones', title: 'ＡＢＣ １２３', finds: ['abc', '123', 'ａｂｃ'] },
  { what: 'ligatures as their letters', title: 'Die ﬁnale Fassung', finds: ['finale', 'ﬁnale'] },
  { what: 'Han characters', title: '買い物リスト', finds: ['買い物', 'リスト'], misses: ['買物'] },
  { what: 'emoji', title: 'Party 🎉', finds: ['🎉', 'party 🎉'], misses: ['🎂'] },
  { what: '% as itself', title: '100% sure', finds: ['%', '100%', '%  sure'], misses: ['1%0', '%%'] },
  { what: '_ as itself', title: 'snake_case', finds: ['_', 'e_c'], misses: ['snake_cas_', '__'] },
  { what: '\\ as itself', title: 'C:\\boxes', finds: ['\\', ':\\b'], misses: ['\\\\', '\\x'] },
  { what: 'quotes and signs as themselves', title: `it's "50" * (a|b) -- ; [x]`, finds: [`'`, `"50"`, '*', '(a|b)', '--', ';', '[x]'] },
]

for (const engine of ENGINES) {
  describe(`searching tasks (${engine})`, () => {
    for (const { what, title, notes, finds, misses = [] } of ROWS) {
      it(`finds ${what}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask({ title, notes: notes ?? null }))

        for (const q of finds) assert.deepEqual(await found(world, q), [task.title], `q=${q}`)
        for (const q of misses) assert.deepEqual(await found(world, q), [], `q=${q}`)
      })
    }

    it('does not take % and _ for any character', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask({ title: 'plain' }))

      for (const q of ['%', '_', 'p%n', 'plai_', '\\']) assert.deepEqual(await found(world, q), [], `q=${q}`)
    })

    it('finds only those that have every word, oldest first', async () => {
      await using world = await openWorld(engine)
      for (const title of ['Call the mover', 'Call the plumber', 'Pay the mover', 'Mover: call again']) await world.given(aTask({ title }))

      assert.deepEqual(await found(world, 'mover call'), ['Call the mover', 'Mover: call again'])
    })

    it('follows a change of title and notes', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ title: 'Call the mover', notes: 'boxes' }))

      await world.api.patch(`/tasks/${task.id}`, { title: 'Pay the plumber', notes: null })

      assert.deepEqual(await found(world, 'mover'), [])
      assert.deepEqual(await found(world, 'boxes'), [])
      assert.deepEqual(await found(world, 'plumber'), ['Pay the plumber'])
    })

    it('leaves archived tasks out unless they are asked for', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ title: 'Call the mover' }))
      await world.api.post(`/tasks/${task.id}/archive`)

      const withArchived = await world.api.get('/tasks?q=mover&include_archived=true')

      assert.deepEqual(await found(world, 'mover'), [])
      assert.equal(withArchived.body.data.length, 1)
    })

    it('finds nothing of another account', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      await aTask({ title: 'Call the mover' })(other.api)

      assert.deepEqual(await found(world, 'mover'), [])
    })

    it('takes up to 200 characters, and as many words as they hold', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask({ title: 'a b c', notes: 'x'.repeat(300) }))

      assert.deepEqual(await found(world, 'x'.repeat(200)), ['a b c'])
      assert.deepEqual(await found(world, 'a b c x '.repeat(25)), ['a b c'])
      assert.deepEqual(await found(world, '🎉'.repeat(200)), [])
    })

    for (const { what, q, code } of [
      { what: 'nothing', q: '', code: 'too_short' },
      { what: 'spaces', q: '%20+%09', code: 'too_short' },
      { what: '201 characters', q: 'x'.repeat(201), code: 'too_long' },
      { what: 'a NUL', q: 'a%00b', code: 'malformed' },
      { what: 'a line end within', q: 'a%0Ab', code: 'malformed' },
    ]) {
      it(`refuses a search for ${what}`, async () => {
        await using world = await openWorld(engine)

        assertInvalid(await world.api.get(`/tasks?q=${q}`), ['query', 'q', code])
      })
    }
  })
}

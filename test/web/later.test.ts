import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { instantOfLocal, laterChoices, localTimeOf, morningOf } from '../../packages/web/src/board/later.ts'

/** What is offered at this time of a clock in this zone, as that clock shows it. */
function offered(local: string, timeZone = 'Europe/Berlin'): Record<string, string> {
  const now = instantOfLocal(local, timeZone)
  assert.ok(now !== null)
  return Object.fromEntries(laterChoices(now, timeZone).map(({ key, until }) => [key, localTimeOf(until, timeZone)]))
}

describe('what a task can be put off to', () => {
  it('is tonight, tomorrow, the weekend and next week, on a Wednesday morning', () => {
    assert.deepEqual(offered('2026-11-25T09:30'), {
      tonight: '2026-11-25T18:00',
      tomorrow: '2026-11-26T08:00',
      weekend: '2026-11-28T08:00',
      nextWeek: '2026-11-30T08:00',
    })
  })

  it('is next week’s Monday also on a Monday', () => {
    assert.equal(offered('2026-11-23T07:00').nextWeek, '2026-11-30T08:00')
  })

  const WITHOUT_WEEKEND: [day: string, local: string][] = [
    ['Friday', '2026-11-27T09:00'],
    ['Saturday', '2026-11-28T09:00'],
  ]
  for (const [day, local] of WITHOUT_WEEKEND) {
    it(`leaves the weekend out on a ${day}, when it is tomorrow or now`, () => {
      assert.deepEqual(Object.keys(offered(local)), ['tonight', 'tomorrow', 'nextWeek'])
    })
  }

  it('leaves next week out on a Sunday, when it is tomorrow', () => {
    assert.deepEqual(offered('2026-11-29T09:00'), { tonight: '2026-11-29T18:00', tomorrow: '2026-11-30T08:00' })
  })

  it('names no time twice, and none that has passed, on any hour of a week', () => {
    const monday = Date.parse('2026-11-23T00:00:00Z')
    for (const timeZone of ['Europe/Berlin', 'America/Los_Angeles', 'Pacific/Kiritimati']) {
      for (let hour = 0; hour < 7 * 24; hour += 1) {
        const now = monday + hour * 3_600_000
        const times = laterChoices(now, timeZone).map(({ until }) => until)
        assert.deepEqual(
          times,
          [...new Set(times)].filter((time) => time > now).sort((a, b) => a - b),
        )
      }
    }
  })

  it('has tonight while that is an hour off', () => {
    assert.equal(offered('2026-11-25T17:00').tonight, '2026-11-25T18:00')
  })

  it('leaves tonight out when it is less than an hour off, and late in the evening', () => {
    assert.equal(offered('2026-11-25T17:01').tonight, undefined)
    assert.equal(offered('2026-11-25T23:59').tonight, undefined)
  })

  it('goes by the day of the person’s own zone', () => {
    // The same instant, Wednesday evening in Los Angeles and Thursday noon on Kiritimati.
    assert.equal(offered('2026-11-25T14:00', 'America/Los_Angeles').tomorrow, '2026-11-26T08:00')
    assert.equal(offered('2026-11-26T12:00', 'Pacific/Kiritimati').tomorrow, '2026-11-27T08:00')
  })
})

describe('a time to come back, over a change of clocks', () => {
  it('is eight by the clock on the morning after they were put forward', () => {
    const now = Date.parse('2027-03-27T11:00:00Z')

    assert.equal(isoOf(laterChoices(now, 'Europe/Berlin').find(({ key }) => key === 'tomorrow')?.until), '2027-03-28T06:00:00.000Z')
  })

  it('is eight by the clock on the morning after they were put back', () => {
    const now = Date.parse('2026-10-24T10:00:00Z')

    assert.equal(isoOf(laterChoices(now, 'Europe/Berlin').find(({ key }) => key === 'tomorrow')?.until), '2026-10-25T07:00:00.000Z')
  })

  it('is tonight by the clock on the very day', () => {
    const now = Date.parse('2027-03-28T00:30:00Z')

    assert.equal(isoOf(laterChoices(now, 'Europe/Berlin').find(({ key }) => key === 'tonight')?.until), '2027-03-28T16:00:00.000Z')
  })

  it('is eight by the clock also where clocks are off by parts of an hour', () => {
    assert.equal(isoOf(morningOf('2026-11-30', 'Asia/Kathmandu')), '2026-11-30T02:15:00.000Z')
    assert.equal(isoOf(morningOf('2026-10-04', 'Australia/Lord_Howe')), '2026-10-03T21:00:00.000Z')
  })
})

describe('a date and time of one’s own', () => {
  const TIMES: [what: string, local: string, timeZone: string, instant: string | null][] = [
    ['is meant in the person’s zone', '2026-11-25T09:30', 'Europe/Berlin', '2026-11-25T08:30:00.000Z'],
    ['in the hour that never is in Berlin is an hour on', '2027-03-28T02:30', 'Europe/Berlin', '2027-03-28T01:30:00.000Z'],
    ['in the hour that never is in New York is an hour on', '2027-03-14T02:30', 'America/New_York', '2027-03-14T07:30:00.000Z'],
    ['in the hour that Berlin has twice is the first', '2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['in the hour that New York has twice is the first', '2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
    ['on the day that Samoa never had is a day on', '2011-12-30T10:00', 'Pacific/Apia', '2011-12-30T20:00:00.000Z'],
    ['that is no time is none', '2026-02-31T09:30', 'Europe/Berlin', null],
    ['that is not complete is none', '2026-11-25', 'Europe/Berlin', null],
    ['that is empty is none', '', 'Europe/Berlin', null],
  ]
  for (const [what, local, timeZone, instant] of TIMES) {
    it(what, () => {
      const read = instantOfLocal(local, timeZone)

      assert.equal(read === null ? null : isoOf(read), instant)
    })
  }

  it('is shown as it was typed', () => {
    for (const timeZone of ['Europe/Berlin', 'America/St_Johns', 'Pacific/Kiritimati', 'UTC']) {
      for (const local of ['2026-01-01T00:00', '2026-07-14T23:59', '2028-02-29T12:05']) {
        const instant = instantOfLocal(local, timeZone)
        assert.equal(instant === null ? null : localTimeOf(instant, timeZone), local)
      }
    }
  })
})

function isoOf(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString()
}

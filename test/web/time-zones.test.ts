import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { zoneGroups } from '../../packages/web/src/pages/settings/time-zones.ts'

describe('time zones to choose from', () => {
  const known = ['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Africa/Cairo', 'America/Bogota']

  it('stand by the part of the world, those that are nowhere first', () => {
    assert.deepEqual(zoneGroups(known, 'Europe/Berlin'), [
      { area: '', zones: [{ name: 'UTC', place: 'UTC' }] },
      { area: 'Africa', zones: [{ name: 'Africa/Cairo', place: 'Cairo' }] },
      {
        area: 'America',
        zones: [
          { name: 'America/Argentina/Buenos_Aires', place: 'Argentina, Buenos Aires' },
          { name: 'America/Bogota', place: 'Bogota' },
        ],
      },
      { area: 'Europe', zones: [{ name: 'Europe/Berlin', place: 'Berlin' }] },
    ])
  })

  it('have the one that the person has, even if it goes by another name here', () => {
    const groups = zoneGroups(known, 'Asia/Calcutta')

    assert.deepEqual(groups.find(({ area }) => area === 'Asia')?.zones, [{ name: 'Asia/Calcutta', place: 'Calcutta' }])
  })

  it('have each once, of all that this machine knows', () => {
    const all = Intl.supportedValuesOf('timeZone')
    const names = zoneGroups(all, 'UTC').flatMap(({ zones }) => zones.map(({ name }) => name))

    assert.deepEqual(names.toSorted(), [...new Set([...all, 'UTC'])].toSorted())
  })
})

import { useEffect, useState } from 'react'
import { dayIn } from '../../board/later.ts'

const LOOK_EVERY_MS = 30_000

/** A moment of the present day (ms since the epoch); another one once the day is another one in `timeZone`. */
export function useToday(timeZone: string): number {
  const [moment, setMoment] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => {
      setMoment((before) => (dayIn(timeZone, before) === dayIn(timeZone, Date.now()) ? before : Date.now()))
    }, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [timeZone])
  return moment
}

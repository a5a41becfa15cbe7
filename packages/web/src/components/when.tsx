import { timeInWords } from '../board/when.ts'
import { usePerson } from '../client/session.ts'
import { useLanguage, useTexts } from '../texts/texts.tsx'

/** An instant as the person would tell it; whoever points at it sees the whole of it. `at` is an RFC 3339 time. */
export function When({ at }: { at: string }) {
  const { board } = useTexts()
  const language = useLanguage()
  const { time_zone: timeZone } = usePerson()
  const instant = Date.parse(at)
  const whole = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long', timeZone }).format(instant)
  return (
    <time dateTime={at} title={whole}>
      {timeInWords(instant, Date.now(), { language, timeZone }, board.days)}
    </time>
  )
}

import { Link } from 'wouter'
import { Empty } from '../components/notice.tsx'
import { useTexts } from '../texts/texts.tsx'

export default function NotFoundPage() {
  const { shell } = useTexts()
  return (
    <Empty icon="search" title={shell.notFound}>
      <title>{`${shell.notFound} · Fivetab`}</title>
      <h1 className="unseen">{shell.notFound}</h1>
      <Link href="/">{shell.notFoundBack}</Link>
    </Empty>
  )
}

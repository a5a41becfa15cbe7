import button from '../../components/button.module.css'
import { Icon } from '../../components/icon.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** A download of its own, so that however much there is, none of it goes through the memory of the page. */
export function ExportLink() {
  const { account } = useTexts().settings
  return (
    <a href="/app/export" download className={`${button.button} ${button.link}`}>
      <Icon name="download" />
      {account.export}
    </a>
  )
}

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeResetLink } from '../../packages/server/actions/links.ts'
import { DAY } from '../world.ts'
import { boardOn } from './board.ts'
import { type Device, describeInBrowser, openBrowserWorld } from './device.ts'
import { comesTo, hasFocus, sees } from './seeing.ts'

/** Coming in, going out, and going for good. */

const WRONG = 'The address or the password is wrong.'

/** Presses within half a second are taken for one; no person is as fast as a test. */
const BETWEEN_PRESSES_MS = 1_000

/** So long a page waits before it looks why it is no longer told what happens. */
const REFUSED_PAUSE_MS = 2_000

async function signIn({ page }: Device, email: string, password: string): Promise<void> {
  await page.clock.runFor(BETWEEN_PRESSES_MS)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Waits until the page is the one on which strangers sign in. */
async function isSignedOut({ page }: Device): Promise<void> {
  await sees(page.getByRole('heading', { level: 1, name: 'Sign in' }))
}

/** Waits until the five tabs are there. */
async function isSignedIn({ page }: Device): Promise<void> {
  await sees(boardOn(page).tab('Today'))
}

describeInBrowser('signing in and out', () => {
  it('by the form one lands where one wanted to go', async () => {
    await using scene = await openBrowserWorld()
    const device = await scene.newDevice()
    await device.open('/settings/plan?from=mail')
    await isSignedOut(device)

    await signIn(device, scene.world.account.email, scene.password)

    await sees(device.page.getByRole('heading', { level: 1, name: 'Plan' }))
    assert.equal(device.page.url(), `${scene.world.service.url}/settings/plan?from=mail`)
  })

  it('a wrong password and an unknown address are told by one and the same sentence, and nothing typed is lost', async () => {
    await using scene = await openBrowserWorld()
    const device = await scene.newDevice()
    const { page } = device
    await device.open('/sign-in')

    for (const email of [scene.world.account.email, 'nobody@example.org']) {
      await page.reload()
      await signIn(device, email, 'wrong horse battery')

      await sees(page.getByRole('alert').getByText(WRONG, { exact: true }))
      assert.equal(await page.getByLabel('E-mail address').inputValue(), email)
    }
  })

  it('signing out ends this session, and no other', async () => {
    await using scene = await openBrowserWorld()
    const [here, there] = [await scene.signedIn(), await scene.signedIn()]
    await here.open('/settings/account')

    await here.page.getByRole('button', { name: 'Sign out' }).click()

    await isSignedOut(here)
    await here.open('/tabs/in_progress')
    await isSignedOut(here)
    await there.open('/tabs/in_progress')
    await isSignedIn(there)
  })

  it('signing out everywhere signs another device out while it is looked at', async () => {
    await using scene = await openBrowserWorld()
    const [here, there] = [await scene.signedIn(), await scene.signedIn()]
    await there.open('/tabs/in_progress')
    await isSignedIn(there)
    await here.open('/settings/sessions')
    await sees(here.page.getByText('Elsewhere'))

    await here.page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await here.page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click()

    await isSignedOut(here)
    await scene.world.service.timers.lookAfterStreams()
    await comesTo(true, async () => {
      await there.page.clock.runFor(REFUSED_PAUSE_MS)
      return there.page.getByRole('heading', { level: 1, name: 'Sign in' }).isVisible()
    })
  })

  it('one session of several can be ended from another', async () => {
    await using scene = await openBrowserWorld()
    const [here, there] = [await scene.signedIn(), await scene.signedIn()]
    await here.open('/settings/sessions')

    await here.page.getByRole('button', { name: /^Sign out: Chrom/ }).click()

    await sees(here.page.getByText('You are signed in nowhere else.'))
    await there.open('/')
    await isSignedOut(there)
  })

  it('a reset link sets a password, signs in, and ends every other session', async () => {
    await using scene = await openBrowserWorld()
    const { email } = scene.world.account
    const { value } = await makeResetLink(scene.world.operator, email, DAY)
    const [lost, other] = [await scene.newDevice(), await scene.signedIn()]
    await lost.open(`/reset-password#link=${value}`)
    assert.equal(await lost.page.getByLabel('E-mail address').inputValue(), email)

    await lost.page.getByLabel('New password', { exact: true }).fill('a staple of another kind')
    await lost.page.getByRole('button', { name: 'Set the password and sign in' }).click()

    await isSignedIn(lost)
    await other.open('/')
    await isSignedOut(other)
    await signIn(other, email, scene.password)
    await sees(other.page.getByText(WRONG))
    await signIn(other, email, 'a staple of another kind')
    await isSignedIn(other)
  })

  it('deleting the account asks for its address and its password, and leaves nothing to sign in to', async () => {
    await using scene = await openBrowserWorld()
    const { email } = scene.world.account
    const device = await scene.signedIn()
    const { page } = device
    await device.open('/settings/account')
    await page.getByRole('button', { name: 'Delete the account …' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete your account?' })
    const [address, secret] = [dialog.getByLabel(`Type ${email} to confirm`), dialog.getByLabel('Password', { exact: true })]
    const confirm = async () => {
      await page.clock.runFor(BETWEEN_PRESSES_MS)
      await dialog.getByRole('button', { name: 'Delete everything' }).click()
    }

    await secret.fill('wrong horse battery')
    await confirm()
    await sees(dialog.getByText('This is not the address of your account.'))
    await address.fill(email)
    await confirm()
    await sees(dialog.getByText('This is not your password.'))
    await hasFocus(secret)
    await secret.fill(scene.password)
    await confirm()

    await isSignedOut(device)
    await signIn(device, email, scene.password)
    await sees(page.getByText(WRONG))
    await comesTo(401, async () => (await scene.world.api.get('/me')).status)
  })
})

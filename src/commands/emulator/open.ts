import { command } from '../../cli/command.ts'
import { openBrowser } from '../../cli/open_browser.ts'
import { answer } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { columnsOf, time } from '../../output/columns.ts'

export const open = command({
  summary: 'Open the page that shows the world in a browser',
  about: 'Open the page that shows the world in a browser: at a payment, request or other id, if you name one.',
  args: { '[id]': { about: 'id of a payment, request, event or delivery, a key, an IBAN or a phone' } },
  flags: {
    ...controlFlags,
    '--no-browser': { about: 'do not open the page: print its address, which works once and for 60 seconds' },
  },
  prints: answer('control.page.code'),
  examples: ['payctl emulator open --no-browser', 'payctl emulator open r12 --no-browser'],
  async run({ id, browser, ...steering }, context) {
    const { output, env, io } = context
    const made = await steer(steering, context, (control) => control.call('control.page.code'))
    const url = `${made.url}${id === undefined ? '' : `&to=${encodeURIComponent(`/search?q=${encodeURIComponent(id)}`)}`}`
    const isOpened = browser && (await openBrowser(url, env.BROWSER))
    if (!isOpened && browser) io.stderr.write('No browser could be started. Open this address within 60 seconds.\n')
    if (output.format !== 'table' && output.format !== 'tsv') {
      return output.record({ ...made, url }, columnsOf<typeof made>('url', 'code', time('expires_at')))
    }
    if (isOpened) output.note('The page opens in your browser.')
    else await output.line(url)
  },
})

import { command } from '../../cli/command.ts'
import { text } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { printableLines } from '../../run/sanitise.ts'
import { write } from '../../run/sink.ts'

export const story = command({
  summary: 'Print everything that happened in a world, as text that is the same in each run',
  about:
    'Print everything that happened in a world, as text that another run of the same program repeats: ids are numbered by ' +
    'first appearance, times are relative to the start of the world. Keep the clock still (emulate --settle manual) for exact times.',
  flags: controlFlags,
  prints: text,
  examples: ['payctl emulator story > story.txt', 'payctl emulator story --world shop-7 | diff story.txt -'],
  async run(steering, context) {
    const made = await steer(steering, context, (control) => control.call('control.story'))
    await write(context.io.stdout, printableLines(made.text ?? ''))
  },
})

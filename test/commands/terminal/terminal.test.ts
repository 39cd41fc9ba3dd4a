import { describe, expect, it } from 'vitest'
import { Screen } from '../../support/screen.ts'
import { keys, openPayctl, openShell } from '../../support/terminal.ts'

describe('the screen', () => {
  it.each([
    ['lines', 'one\r\ntwo\r\n', 'one\ntwo'],
    ['overwriting', 'hello\rJ', 'Jello'],
    ['wrapping', '0123456789ab', '0123456789\nab'],
    ['erasing a line', 'gone\x1b[2K\rkept', 'kept'],
    ['erasing to the end', 'kept gone\x1b[5G\x1b[K', 'kept'],
    ['redrawing above', 'a\r\nb\r\nc\x1b[2A\r\x1b[JA', 'A'],
    ['colours and modes', '\x1b[1m\x1b[?25lbold\x1b[0m\x1b[?25h', 'bold'],
    ['titles', '\x1b]0;title\x07text', 'text'],
  ])('knows %s', (_, written, shown) => {
    const screen = new Screen(10, 5)
    for (const character of written) screen.write(character)
    expect(screen.text).toBe(shown)
  })

  it('keeps what scrolls away', () => {
    const screen = new Screen(10, 2)
    screen.write('1\r\n2\r\n3\r\n4\x1b[9Atop')
    expect(screen.text).toBe('1\n2\n3top\n4')
  })
})

describe('payctl', () => {
  it('fits its help to the terminal', async () => {
    const terminal = openPayctl(['help', 'exit-codes'], { columns: 60 })
    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toMatch(/^CODE +NAME +MEANING$/m)
  })

  it('in a pipe has no terminal to write to', async () => {
    const terminal = openShell('payctl help exit-codes | cat')
    await terminal.shows('code    name')
    expect(await terminal.ended).toBe(0)
  })

  it('is interrupted by Ctrl-C', async () => {
    const terminal = openPayctl(['emulate', '--port', '0'], { env: { PAYCTL_STATE_DIR: '/nonexistent' } })
    await terminal.answer('Ctrl-C stops it', keys.interrupt)
    expect(await terminal.ended).toBe(0)
  })
})

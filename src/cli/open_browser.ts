/**
 * Opens a page in the user's browser: with the command in `BROWSER`, which other tools also read, or else in the
 * system's default browser. Returns true if a program was started, even if it does not show the page.
 */
export async function openBrowser(url: string, command: string | undefined): Promise<boolean> {
  const { default: open } = await import('open')
  const [name = '', ...args] = (command ?? '').split(/\s+/).filter((word) => word !== '')
  try {
    await open(url, name === '' ? {} : { app: { name, arguments: args } })
    return true
  } catch {
    return false
  }
}

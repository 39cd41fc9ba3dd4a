/**
 * Opens a page in the user's browser: the system's own, or the command in `BROWSER`, as other tools take it.
 * Returns whether a program was started, not whether it shows the page.
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

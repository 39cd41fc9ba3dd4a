/** Whether a text is the beginning or the end of an id. */
export function isPartOf(part: string, id: string): boolean {
  const [text, whole] = [part.toLowerCase(), id.toLowerCase()]
  return text !== '' && (whole.startsWith(text) || whole.endsWith(text))
}

/** An id by its end, which differs where the beginnings are times: `...00c1`. */
export const shownPart = (id: string): string => `...${id.slice(-5)}`

/**
 * The words of a command line up to the cursor, as a shell would pass them on; the last one, perhaps empty, is being
 * typed. Quotes and backslashes are taken off. Nothing is expanded: the line is only read.
 */
export function wordsOf(line: string): readonly string[] {
  const words: string[] = []
  let word = ''
  let quote = ''
  let begun = false
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at)
    if (quote !== '') {
      if (character === quote) quote = ''
      else word += character === '\\' && quote === '"' ? line.charAt(++at) : character
    } else if (/\s/.test(character)) {
      if (begun) words.push(word)
      word = ''
      begun = false
      continue
    } else if (character === '"' || character === "'") quote = character
    else word += character === '\\' ? line.charAt(++at) : character
    begun = true
  }
  return [...words, word]
}

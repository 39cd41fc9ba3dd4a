const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML content and quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

/** Escapes text for XML 1.0, and removes characters that XML can't hold. */
export const escapeXml = (text: string): string => escapeHtml(text.toWellFormed().replace(notXml, ''))

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML has three of them only
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

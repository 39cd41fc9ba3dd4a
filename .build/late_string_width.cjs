// string-width builds an Intl.Segmenter and large regular expressions when it is loaded, which takes 30 ms; most text
// is Latin and never needs it. The bundle contains the package as a separate file (bundle.ts), which exports the
// package's only function as the module.
module.exports = (text) => require('string-width')(text)

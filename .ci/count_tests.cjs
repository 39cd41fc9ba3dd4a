// node .ci/count_tests.cjs REPORT FAILURES: prints the numbers of passed and failed tests of a vitest report in JSON,
// and appends the failed tests, with the first lines of their messages, to the file FAILURES.
const { appendFileSync, readFileSync } = require('node:fs')

const [report, failures] = process.argv.slice(2)
const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
for (const { name, message, assertionResults } of testResults) {
  const failed = assertionResults.filter(({ status }) => status === 'failed')
  for (const { fullName, failureMessages } of failed) {
    appendFileSync(failures, `FAILED test: ${name}: ${fullName}\n${firstLines(failureMessages[0])}`)
  }
  if (failed.length === 0 && message) appendFileSync(failures, `FAILED file: ${name}\n${firstLines(message)}`)
}
console.log(numPassedTests, numFailedTests)

function firstLines(message = '') {
  return message
    .split('\n', 12)
    .map((line) => `    ${line.slice(0, 300)}\n`)
    .join('')
}

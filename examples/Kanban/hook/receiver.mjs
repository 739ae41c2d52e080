// Takes the comments of boards, and checks their signatures: `node receiver.mjs SECRET PORT`. SECRET is the file of
// `--hook-secret-file`. A comment may come twice, so a receiver that must act once keeps the last comments.

import { createHmac, timingSafeEqual } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"

const [file, port] = process.argv.slice(2)
if (!port) {
    console.error("usage: node receiver.mjs SECRET PORT")
    process.exit(2)
}
const secret = readFileSync(file, "utf8").trim()

createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const expected = Buffer.from("sha256=" + createHmac("sha256", secret).update(body).digest("hex"))
    const found = Buffer.from(request.headers["x-signature-256"] ?? "")
    const isSigned = found.length === expected.length && timingSafeEqual(found, expected)
    if (isSigned) {
        const { board, card, comment } = JSON.parse(body)
        console.log(`${board}, ${card}: ${comment.author} wrote '${comment.text}'`)
    }
    response.writeHead(isSigned ? 204 : 401).end()
}).listen(Number(port), "127.0.0.1")

// Prints a JWT for a member of the team: `node token.mjs KEY NAME ROLE`. KEY is a private key that `openssl
// genpkey -algorithm ec -pkeyopt ec_paramgen_curve:P-256` has made. In production, the login of your product does this.

import { createPrivateKey, sign } from "node:crypto"
import { readFileSync } from "node:fs"

const [file, name, role] = process.argv.slice(2)
if (!role) {
    console.error("usage: node token.mjs KEY NAME ROLE")
    process.exit(2)
}
const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url")
const claims = {
    iss: "https://login.kanban.example",
    aud: "kanban",
    sub: name,
    role,
    exp: Math.floor(Date.now() / 1000) + 12 * 3600,
}
const text = `${encode({ alg: "ES256", typ: "at+jwt" })}.${encode(claims)}`
const key = createPrivateKey(readFileSync(file))
const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" })
console.log(`${text}.${signature.toString("base64url")}`)

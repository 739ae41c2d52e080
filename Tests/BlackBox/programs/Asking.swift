// Requests a URL, and prints the status of the answer or the kind of failure.
// Usage: Asking URL [AUTHORITIES]

import StoreHTTPClient

let arguments = CommandLine.arguments
let client = CurlClient(authorities: arguments.count > 2 ? arguments[2] : nil)
do {
    print(try await client.response(to: .get(arguments[1])).status)
} catch let error as HTTPClientError {
    print(error.code.rawValue)
}

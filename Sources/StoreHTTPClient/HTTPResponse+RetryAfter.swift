import CStoreCurl
import Glibc

extension HTTPResponse {
    /// The number of seconds after which the peer asks for another attempt (RFC 9110 §10.2.3), at
    /// least 0. `nil` if the answer has no such field, or an invalid one.
    package var retryAfterSeconds: Double? {
        guard let text = headers["retry-after"] else { return nil }
        if text.utf8.allSatisfy({ 48...57 ~= $0 }) { return Double(text) }
        guard CurlLibrary.problem == nil else { return nil }
        let moment = ccurl_getdate(text)
        return moment < 0 ? nil : max(0, Double(moment - time(nil)))
    }
}

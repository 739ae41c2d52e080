/// How the payload of a stream is coded (RFC 9110 §8.4) before it is sent in chunks.
package enum StreamCoding: String, Sendable, CaseIterable {
    /// Not at all.
    case identity
}

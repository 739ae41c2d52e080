/// On whose behalf something is read.
///
/// Every caller may read the whole state today. A projection for each session has its place in
/// ``StateReader``, which receives this with each question and for each stream; an authenticated
/// principal will stand here, too.
package struct Caller: Sendable {
    /// The client's session; `nil` for a client without one.
    let session: String?

    /// A client that shows nothing about itself.
    package static let anonymous = Caller(session: nil)
}

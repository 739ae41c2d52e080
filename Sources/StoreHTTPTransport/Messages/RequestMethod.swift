import Glibc

/// The method of a request (RFC 9110 §9): a method that routes have, or the name of any other
/// method.
package enum RequestMethod: Sendable, Equatable {
    case get, head, post, put, patch, delete, options
    case other(String)

    /// Makes the method of this name. Names are case-sensitive.
    package init(_ name: String) { self = name.withCString { RequestMethod($0) } }

    init(_ name: UnsafePointer<CChar>) {
        // The first byte decides most cases, which saves time in every request.
        switch UInt8(bitPattern: name[0]) {
        case UInt8(ascii: "G") where strcmp(name, "GET") == 0: self = .get
        case UInt8(ascii: "P") where strcmp(name, "POST") == 0: self = .post
        case UInt8(ascii: "P") where strcmp(name, "PUT") == 0: self = .put
        case UInt8(ascii: "P") where strcmp(name, "PATCH") == 0: self = .patch
        case UInt8(ascii: "H") where strcmp(name, "HEAD") == 0: self = .head
        case UInt8(ascii: "D") where strcmp(name, "DELETE") == 0: self = .delete
        case UInt8(ascii: "O") where strcmp(name, "OPTIONS") == 0: self = .options
        default: self = .other(String(cString: name))
        }
    }

    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let name): name
        }
    }

    var requiresBodyLength: Bool {
        switch self {
        case .post, .put, .patch: true
        default: false
        }
    }

    /// The bit of this method in sets of methods; 0 for a method that no route has.
    package var bit: UInt8 {
        switch self {
        case .get: 1
        case .head: 2
        case .post: 4
        case .put: 8
        case .patch: 16
        case .delete: 32
        case .options: 64
        case .other: 0
        }
    }
}

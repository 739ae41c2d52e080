import StoreCore

/// The reason why an action of the program itself can't be journaled.
enum UnwrittenAction: Error, Equatable {
    /// No list and no module has the type.
    case unregistered(type: String)
    /// The payload is larger than a field of a record may be.
    case oversized(bytes: Int, bytesMax: Int)
    /// The encoder writes the action under a name that the decoder does not read.
    case unwritable(type: String)

    static func unregistered(_ action: any Action) -> UnwrittenAction {
        .unregistered(type: "\(type(of: action))")
    }

    static func unwritable(_ action: any Action) -> UnwrittenAction {
        .unwritable(type: "\(type(of: action))")
    }
}

extension UnwrittenAction: CustomStringConvertible {
    var description: String {
        switch self {
        case .unregistered(let type):
            "\(type) is dispatched by the program, but is not registered: the journal has no name "
                + "for it; list it with a module's dispatchables or the server's actions"
        case .oversized(let bytes, let bytesMax):
            "its payload has \(bytes) bytes, and a record of history holds \(bytesMax)"
        case .unwritable(let type):
            "a case of \(type) is written under another name than it is read by; let the compiler "
                + "write the enum's Codable"
        }
    }
}

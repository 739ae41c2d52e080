// Why an action of the program's own can't be journaled.

import StoreCore

/// The program dispatched an action that no list and no module has.
struct UnregisteredAction: Error, CustomStringConvertible {
    let type: String

    init(_ action: any Action) {
        type = "\(Swift.type(of: action))"
    }

    var description: String {
        "\(type) is dispatched by the program, but registered nowhere: the journal has no name for it; "
            + "list it with a module's dispatchables or the server's actions"
    }
}

/// The program dispatched an action that is larger than one record of history.
struct OversizedAction: Error, CustomStringConvertible {
    let type: String
    let bytes: Int
    let bytesMax: Int

    var description: String {
        "its payload has \(bytes) bytes, and a record of history holds \(bytesMax)"
    }
}

/// The program dispatched an action that is written otherwise than its type is read.
struct UnwritableAction: Error, CustomStringConvertible {
    let type: String

    init(_ action: any Action) {
        type = "\(Swift.type(of: action))"
    }

    var description: String {
        "a case of \(type) is written under a name that it is not read by; let the compiler write the "
            + "enum's Codable"
    }
}

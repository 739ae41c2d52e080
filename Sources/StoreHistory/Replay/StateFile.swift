package import StoreActionCatalog
package import StoreCore
import StorePlatform
import StoreTelemetry
import StoreWire

/// `--state-file`: the state before the first action, as a JSON document.
package struct StateFile<State: Codable & Sendable>: Sendable {
    /// The most bytes of the document: what a snapshot can hold.
    package static var bytesMax: Int { Record.fieldBytesMax }

    package let path: String
    /// Fills in what modules see of one another.
    package let connect: @Sendable (inout State) -> Void

    package init(
        path: String,
        connect: @escaping @Sendable (inout State) -> Void
    ) {
        self.path = path
        self.connect = connect
    }

    /// Reads the state.
    ///
    /// - Throws: ``ConfigurationError`` with the pointer of what does not fit.
    package func read() throws(ConfigurationError) -> State {
        guard let bytes = FileReader.read(path, bytesMax: Self.bytesMax) else {
            throw ConfigurationError(
                "--state-file: can't read '\(path)'; allowed is a readable file"
            )
        }
        let limits = JSONLimits(bytesMax: Self.bytesMax, depthMax: JSONLimits.depthCeiling)
        do {
            var state = try JSONDecoder(limits: limits).decode(State.self, from: bytes)
            connect(&state)
            return state
        } catch {
            let place = error.isSyntax ? "byte \(error.offset)" : error.pointer
            throw ConfigurationError(
                "--state-file: \(path): \(place.isEmpty ? "" : place + ": ")\(error.messageForOperators)"
            )
        }
    }

    /// Writes a line to the log where history began with another state, and the file is not used.
    func logIfUnused(by journal: any Journal, _ encoder: JSONEncoder, _ logger: Logger) {
        let first = try? journal.snapshot(atOrBefore: 0)
        if let first, let state = try? read(), let bytes = try? encoder.encode(state),
            bytes == first.state
        {
            return
        }
        logger.notice(
            .configurationUnused,
            "--state-file: \(path) is not used: history goes on at version \(journal.version), and "
                + (first == nil ? "its beginning is no longer kept" : "began with another state")
        )
    }
}

/// A first state that was given to the program, which no state of the program's own stands for.
package enum GivenState {
    /// What the form of its snapshot ends with.
    package static let mark = " given"

    /// Whether a snapshot's form is this one, with the mark or without.
    package static func isForm(_ found: String, _ form: String) -> Bool {
        found.isSame(as: form) || found.isSame(as: form + mark)
    }

    /// Whether a history began with one.
    package static func began(_ journal: any Journal) throws(JournalError) -> StateSnapshot? {
        guard let first = try journal.snapshot(atOrBefore: 0), first.form.hasSuffix(mark) else {
            return nil
        }
        return first
    }
}

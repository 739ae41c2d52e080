package import StoreActionCatalog
package import StoreCore
import StoreJSON
import StorePlatform
import StoreTelemetry

/// The file of `--state-file`: the state before the first action, as a JSON document.
package struct StateFile<State: Codable & Sendable>: Sendable {
    /// The maximum number of bytes of the document: the size limit of a snapshot.
    package static var bytesMax: Int { Record.fieldBytesMax }

    package let path: String
    /// The function that copies shared values into the slices of the modules that read these
    /// values.
    package let fillSharedValues: @Sendable (inout State) -> Void

    package init(path: String, fillSharedValues: @escaping @Sendable (inout State) -> Void) {
        self.path = path
        self.fillSharedValues = fillSharedValues
    }

    /// Reads the state. The error has the pointer to the value that does not fit.
    package func read() throws(ConfigurationError) -> State {
        guard let bytes = FileReader.read(path, bytesMax: Self.bytesMax) else {
            throw ConfigurationError(
                "--state-file: can't read '\(path)'; allowed is a readable file"
            )
        }
        let limits = JSONLimits(bytesMax: Self.bytesMax, depthMax: JSONLimits.depthCeiling)
        do {
            var state = try JSONDecoder(limits: limits).decode(State.self, from: bytes)
            fillSharedValues(&state)
            return state
        } catch {
            let place = error.isParseError ? "byte \(error.offset)" : error.pointer
            throw ConfigurationError(
                "--state-file: \(path): \(place.isEmpty ? "" : place + ": ")\(error.messageForOperators)"
            )
        }
    }

    /// Writes a line to the log if the file is not used, because history began with another state.
    func logIfUnused(by journal: any Journal, _ encoder: JSONEncoder, _ logger: Logger) {
        let first = try? journal.snapshot(atOrBefore: 0)
        if let first, let state = try? read(), let bytes = try? encoder.encode(state),
            bytes == first.state
        {
            return
        }
        logger.info(
            .configurationUnused,
            "--state-file: \(path) is not used: history goes on at version \(journal.version), and "
                + (first == nil ? "its beginning is no longer kept" : "began with another state")
        )
    }
}

/// A first state that was given in a file, in place of the program's initial state.
package enum GivenState {
    /// The text at the end of a snapshot's form if the snapshot has a given state.
    package static let formSuffix = " given"

    /// Returns true if `found` is the form `form`, with or without ``formSuffix``.
    package static func matchesForm(_ found: String, _ form: String) -> Bool {
        found.isSame(as: form) || found.isSame(as: form + formSuffix)
    }

    /// Returns the first state of a history if that state was given in a file. Returns `nil` if
    /// history began with the program's initial state, or if the first state is gone.
    package static func firstSnapshot(of journal: any Journal) throws(JournalError)
        -> StateSnapshot?
    {
        guard let first = try journal.snapshot(atOrBefore: 0), first.formID.hasSuffix(formSuffix)
        else {
            return nil
        }
        return first
    }
}

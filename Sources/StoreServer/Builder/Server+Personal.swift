import StoreActionCatalog
public import StoreCore
import StoreJSON
import StoreJSONSchema
import StoreJournalSQLite
import StoreTexts

/// The declaration of personal members of an action.
struct PersonalDeclaration: Sendable {
    /// The action's wire name; `cards/{id}/liked` for an action of instances.
    let action: String
    let pointers: [String]
    /// The pointer to the name of the owner; `nil` if the dispatcher is the owner.
    let ownerPointer: String?
}

extension Server {
    /// Returns a server that seals the values of these members of an action. The journal,
    /// snapshots, backups and exports have only the sealed values. The command `forget` makes the
    /// sealed values unreadable.
    ///
    /// ```swift
    /// Server(AppState.self)
    ///     .personal("profile/addressChanged", "/street", "/city")
    ///     .personal("invitations/sent", "/email", of: "/invitee")
    ///     .forgetting { [Users.Internal.forgotten(principal: $0)] }
    /// ```
    ///
    /// - Parameters:
    ///   - action: the wire name of the action; `cards/{id}/liked` for an action of instances.
    ///   - pointers: pointers (RFC 6901) into the payload. The token `*` stands for each element of
    ///     an array, and for each member of an object. The pointer `""` is the whole payload.
    ///   - owner: the pointer to the name of the person to whom the values belong. By default, or
    ///     if the payload has no text there, the owner is the principal that dispatched the action.
    /// - Returns: the server with this declaration. The start fails if the program has no such
    ///   action, or if the action has no such member.
    public func personal(
        _ action: String,
        _ pointers: String...,
        of owner: String? = nil
    ) -> Server {
        with {
            $0.personalDeclarations.append(
                PersonalDeclaration(action: action, pointers: pointers, ownerPointer: owner)
            )
        }
    }

    /// Returns a server that dispatches these actions when it forgets a person. The actions remove
    /// the person's values from the state. If a reducer refuses one of these actions, the server
    /// forgets nothing. So the reducers must apply the actions even if the state has no values of
    /// the person.
    ///
    /// - Parameter actions: makes the actions from the name of the principal.
    /// - Returns: the server with these actions, which replace earlier actions.
    public func forgetting(
        _ actions: @escaping @Sendable (_ principal: String) -> [any Action]
    ) -> Server {
        with { $0.makeForgettingActions = actions }
    }

    /// Refuses declarations with an unknown action, an invalid pointer, or a member that the
    /// payload can't have.
    func checkPersonalDeclarations() throws(ConfigurationError) {
        guard let first = personalDeclarations.first else { return }
        guard openProgramJournal == nil else {
            throw ConfigurationError(
                "personal members need the history in --data, but this program has a journal of "
                    + "its own; leave out one of the two"
            )
        }
        guard makeForgettingActions != nil else {
            throw ConfigurationError(
                "'\(first.action)' has personal members, so the program has to declare the "
                    + "actions that remove a user from the state: .forgetting { … }"
            )
        }
        let entries = try ActionRegistry<State>(actions, composition.actions()).entries
        for declaration in personalDeclarations {
            let name = declaration.action
            guard let entry = entries.first(where: { $0.signature.name.isSame(as: name) }) else {
                throw ConfigurationError("personal members: there is no action '\(name)'")
            }
            for pointer in declaration.pointers + (declaration.ownerPointer.map { [$0] } ?? []) {
                let isOwner = pointer == declaration.ownerPointer
                guard let path = JSONPointer(pointer), !isOwner || !path.tokens.contains("*") else {
                    throw ConfigurationError(
                        "personal members of '\(name)': '\(pointer)' is not a pointer such as "
                            + "/street" + (isOwner ? ", without *" : " or /lines/*/street")
                    )
                }
                // `0` can be the index of an element, and also the name of a member.
                let example = JSONPointer(tokens: path.tokens.map { $0 == "*" ? "0" : $0 })
                guard entry.signature.prefixWithoutValue(of: example) == nil else {
                    throw ConfigurationError(
                        "personal members of '\(name)': the payload has nothing at '\(pointer)'"
                    )
                }
            }
        }
    }

    /// Returns true if there is a file of keys.
    func hasKeys(_ configuration: ServerConfiguration) -> Bool {
        KeyFile.exists(in: configuration.history.directoryOfKeys)
    }

    /// Returns the sealer of this program's personal members, with the keys of the configuration.
    /// Returns `nil` if the program declares no personal members and the history has no keys.
    ///
    /// - Throws: ``JournalOpenError``, if the keys can't be read.
    func recordSealer(_ configuration: ServerConfiguration) throws -> RecordSealer? {
        guard !configuration.history.ephemeral,
            !personalDeclarations.isEmpty || hasKeys(configuration)
        else { return nil }
        let directory = configuration.history.directoryOfKeys
        let table = try ActionRegistry<State>(actions, composition.actions()).table
        var members: [ExactText: [PersonalMember]] = [:]
        for declaration in personalDeclarations {
            let owner = declaration.ownerPointer.flatMap { JSONPointer($0) }?.tokens
            members[ExactText(declaration.action), default: []] += declaration.pointers.compactMap {
                JSONPointer($0).map { PersonalMember(path: $0.tokens, ownerPath: owner) }
            }
        }
        return RecordSealer(keys: try KeyFile(in: directory)) { [members] name in
            if let found = members[ExactText(name)] { return found }
            guard let pattern = table[name]?.entry.signature.name else { return [] }
            return members[ExactText(pattern)] ?? []
        }
    }
}

extension ServerConfiguration.History {
    /// The directory of the file of keys.
    fileprivate var directoryOfKeys: String { keysDirectory ?? directory }
}

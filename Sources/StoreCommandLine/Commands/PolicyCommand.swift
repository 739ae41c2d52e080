/// A command that checks a policy file for the stores of the program, or explains a permission.
package struct PolicyCommand: Equatable, Sendable {
    package enum Verb: String, CaseIterable, Sendable {
        case check, explain
    }

    /// The flags of `explain`, in addition to the flags of the configuration.
    package enum Flag: String, CaseIterable, Sendable {
        case role, path, method, action, payload, principal
    }

    static let usages: [ConfigurationHelp.HelpLine] = [
        ("policy check FILE", "list all faults of a policy file; status 2 if there are any"),
        (
            "policy explain [FILE] --role ROLE --path PATH [--method METHOD]",
            "explain why the role may send the request, or may not; status 1 if it may not"
        ),
        (
            "policy explain [FILE] --role ROLE --action TYPE [--payload JSON] [--principal NAME]",
            "the same for an action; without FILE, the policy is that of --policy"
        ),
    ]

    package let verb: Verb
    package let file: String?
    /// The name of the store in the question; `nil` for the store at `/`.
    package var store: String?
    private var flags: [Flag: String] = [:]

    package subscript(flag: Flag) -> String? { flags[flag] }

    /// Reads the words after `policy`.
    package init(_ word: String?, file: String?) throws(UsageError) {
        guard let word, let known = Verb(rawValue: word) else {
            throw UsageError("usage: policy check FILE, or policy explain [FILE] --role ROLE …")
        }
        if known == .check, file == nil { throw UsageError("usage: policy check FILE") }
        self.verb = known
        self.file = file
    }

    mutating func set(_ flag: Flag, _ value: String) throws(UsageError) {
        guard verb == .explain else {
            throw UsageError("--\(flag.rawValue) is allowed only with policy explain; see --help")
        }
        guard flags.updateValue(value, forKey: flag) == nil else {
            throw .givenTwice(flag.rawValue)
        }
    }

    /// Refuses a combination of flags that is not a question.
    func check() throws(UsageError) {
        guard verb == .explain else { return }
        guard self[.role] != nil else { throw UsageError("policy explain needs --role ROLE") }
        switch (self[.path], self[.action]) {
        case (nil, nil): throw UsageError("policy explain needs --path PATH or --action TYPE")
        case (.some, .some):
            throw UsageError("policy explain takes either --path or --action, not both")
        case (.some, nil):
            guard self[.payload] == nil, self[.principal] == nil else {
                throw UsageError(
                    "--payload and --principal are allowed only with --action; see --help"
                )
            }
        case (nil, .some):
            guard self[.method] == nil else {
                throw UsageError("--method is allowed only with --path; see --help")
            }
        }
    }
}

package struct PolicyAnswer: Sendable {
    /// The text to print, with the line feed at its end.
    package let text: String
    /// True if the exit status is 0, false if the exit status is 1.
    package let exitsWithSuccess: Bool

    package init(_ text: String, exitsWithSuccess: Bool = true) {
        self.text = text
        self.exitsWithSuccess = exitsWithSuccess
    }
}

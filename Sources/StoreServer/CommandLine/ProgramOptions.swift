import StoreActionCatalog
public import StoreCommandLine
public import StoreCore

/// The options that a program has besides those of the library. A property has the default of its
/// option; `options` has the flag, the meaning and the bounds.
///
/// ```swift
/// struct ShopOptions: ProgramOptions {
///     var hookSecret = Secret()
///     var attemptsMax = 3
///
///     static let options: [Option] = [
///         .flag("hook-secret", "the secret that signs hooks")
///             .sets(\.hookSecret, .secret(bytes: 16...256)),
///         .flag("attempts-max", "how often a hook is sent at most")
///             .sets(\.attemptsMax, .number(1...10, "attempts")),
///     ]
/// }
/// ```
///
/// An option is set like an option of the library. The first of these sources counts:
///
/// 1. the flag, `--attempts-max`;
/// 2. the variable, `STORE_SERVER_ATTEMPTS_MAX`, or the file whose path is in
///    `STORE_SERVER_ATTEMPTS_MAX_FILE`;
/// 3. the member `attempts-max` in the file of `--config`.
///
/// An option whose default is not allowed, such as `hook-secret` above, is required. The flag of a
/// secret takes a file's path, `--hook-secret-file`, because other users of the machine can read
/// the flags of a process.
///
/// The options are a dependency: an effect, a use case and a preparation read
/// `context.dependencies[ShopOptions.self]`. A reducer never reads options, because a replay must
/// make the same state under other options. If the state needs the value of an option, an effect
/// dispatches an action with the value.
public protocol ProgramOptions: DependencyKey, Equatable, Sendable where Value == Self {
    /// Makes the options with their defaults.
    init()

    /// The options, in the order in which `--help` lists them.
    static var options: [Option] { get }

    /// Refuses options that do not fit together. The start calls this function after it has checked
    /// each option.
    ///
    /// - Throws: a `ConfigurationError`. The program prints its message as the last line, and ends.
    func check() throws(ConfigurationError)
}

extension ProgramOptions {
    /// An option that sets a property of this type.
    public typealias Option = ConfigurationOption<Self>

    /// The options with their defaults. Before a server prepares its dependencies, it replaces
    /// these options with the options in force.
    public static var live: Self { Self() }

    /// Allows every combination of options.
    public func check() throws(ConfigurationError) {}
}

extension ServerConfiguration {
    /// The options of the program itself, for a program that embeds its server. Options that the
    /// program does not set have their defaults.
    ///
    /// ```swift
    /// configuration[ShopOptions.self].attemptsMax = 5
    /// ```
    public subscript<Options: ProgramOptions>(options: Options.Type) -> Options {
        get { programOptions[options] }
        set { programOptions[options] = newValue }
    }
}

extension Server {
    /// Returns a server with further options, for the program itself. Several modules may have
    /// options of their own.
    ///
    /// ```swift
    /// Server(AppState.self, name: "shop", version: "2.4.0")
    ///     .options(ShopOptions.self)
    ///     .main()
    /// ```
    ///
    /// The server does not start if a name is not allowed, or is the name of another option or of a
    /// flag of the library. ``main()`` then ends with status 2, whatever the command is. `SIGHUP`
    /// and ``RunningServer/reload(_:)`` do not change these options.
    public func options<Options: ProgramOptions>(_ options: Options.Type) -> Server {
        with { $0.ownOptions.append(OwnOptions(options)) }
    }

    /// The options of the program for all stores of the process. Stores may share options.
    var processOwnOptions: [OwnOptions] {
        var ids: Set<ObjectIdentifier> = []
        return stores.flatMap(\.server.ownOptions).filter { ids.insert($0.id).inserted }
    }

    /// The options of the library and of the program.
    var options: [ServerConfiguration.Option] {
        ServerConfiguration.options + processOwnOptions.flatMap(\.options)
    }

    func checkOptionNames() throws(ConfigurationError) {
        let own = processOwnOptions.flatMap(\.options)
        if own.isEmpty { return }
        try ConfigurationError.wrapErrors {
            try ServerConfiguration.Option.checkNames(of: own, beside: ServerConfiguration.options)
        }
    }

    /// Refuses missing and invalid options of the program.
    func checkOwnOptions(_ configuration: ServerConfiguration) throws(ConfigurationError) {
        for own in processOwnOptions {
            try ConfigurationError.wrapErrors { try own.check(configuration) }
        }
    }
}

/// The options of a program, without their type.
struct OwnOptions: Sendable {
    let id: ObjectIdentifier
    let options: [ServerConfiguration.Option]
    /// Refuses missing and invalid options.
    let check: @Sendable (ServerConfiguration) throws -> Void
    /// Sets the options in force as a dependency.
    let install: @Sendable (ServerConfiguration, inout Dependencies) -> Void

    init<Options: ProgramOptions>(_ type: Options.Type) {
        id = ObjectIdentifier(type)
        let options = Options.options.map { option in
            option.lifted(
                defaults: Options(),
                get: { (whole: ServerConfiguration) in whole[Options.self] },
                set: { $0[Options.self] = $1 }
            )
        }
        self.options = options
        check = { configuration in
            let fresh = ServerConfiguration()
            for option in options { try option.checkValues(in: configuration, defaults: fresh) }
            try configuration[Options.self].check()
        }
        install = { $1.set(Options.self, to: $0[Options.self]) }
    }
}

/// The values of a program's options, by the types of the options.
struct ProgramOptionValues: Sendable, Equatable {
    private var values: [ObjectIdentifier: any ProgramOptions] = [:]

    subscript<Options: ProgramOptions>(options: Options.Type) -> Options {
        get { values[ObjectIdentifier(options)] as? Options ?? Options() }
        set { values[ObjectIdentifier(options)] = newValue }
    }

    static func == (left: Self, right: Self) -> Bool {
        func isSame<Options: ProgramOptions>(_ options: Options) -> Bool {
            left[Options.self] == right[Options.self]
        }
        return left.values.values.allSatisfy { isSame($0) }
            && right.values.values.allSatisfy { isSame($0) }
    }
}

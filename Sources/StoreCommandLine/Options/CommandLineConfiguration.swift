/// What flags, variables and a file configure.
package protocol CommandLineConfiguration: Sendable {
    /// Every option, in the order in which `--help` lists them.
    static var options: [ConfigurationOption<Self>] { get }

    /// What holds where nothing is given.
    static var defaults: Self { get }
}

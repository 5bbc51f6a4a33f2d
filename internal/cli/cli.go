// Package cli is as much of a command line with commands as this program has:
// one level of them, flags, help, and a guess where a name is mistyped.
// It is no framework. A bigger library brings templates and reflection, which
// would double the WebAssembly artifact (RATIONALE.md).
package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// A Command is a command, or the program itself, which has commands.
type Command struct {
	Use   string // the name, then what it takes: "build DIR"
	Short string // one line
	Long  string // help; "" is Short
	// Args checks the arguments; nil takes any.
	Args func(cmd *Command, args []string) error
	// Run does the work. The program's own gets what is no command's name.
	Run func(cmd *Command, args []string) error
	// FlagError words an error of the flags; it is looked at in the program.
	FlagError func(cmd *Command, err error) error
	// Version, if set, is what --version prints; it is looked at in the program.
	Version string

	flags    Flags
	commands []*Command
	parent   *Command
	ctx      context.Context
	out, err io.Writer
}

// Name is the first word of Use.
func (c *Command) Name() string {
	name, _, _ := strings.Cut(c.Use, " ")
	return name
}

// Path is how the command is called: "pagerev build".
func (c *Command) Path() string {
	if c.parent == nil {
		return c.Name()
	}
	return c.parent.Name() + " " + c.Name()
}

// Flags are the command's; nothing is shared between commands.
func (c *Command) Flags() *Flags { return &c.flags }

// Add gives the program its commands.
func (c *Command) Add(commands ...*Command) {
	for _, sub := range commands {
		sub.parent = c
		c.commands = append(c.commands, sub)
	}
}

// Context is that of Execute.
func (c *Command) Context() context.Context { return c.root().ctx }

// Out is for results, Err for words.
func (c *Command) Out() io.Writer { return c.root().out }

// Err is for words.
func (c *Command) Err() io.Writer { return c.root().err }

func (c *Command) root() *Command {
	if c.parent != nil {
		return c.parent
	}
	return c
}

// Execute runs the command that the arguments name.
func (c *Command) Execute(ctx context.Context, args []string, out, err io.Writer) error {
	c.ctx, c.out, c.err = ctx, out, err
	cmd := c
	// The first argument that is no flag names the command.
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") && arg != "-" {
			continue
		}
		if arg == "help" && c.command(arg) == nil {
			return c.help(args[i+1:])
		}
		sub := c.command(arg)
		if sub == nil {
			return c.Run(c, args[i:])
		}
		cmd, args = sub, slices.Concat(args[:i], args[i+1:])
		break
	}
	return cmd.run(args)
}

func (c *Command) help(args []string) error {
	if len(args) > 0 {
		if sub := c.command(args[0]); sub != nil {
			return sub.Help()
		}
	}
	return c.Help()
}

func (c *Command) command(name string) *Command {
	for _, sub := range c.commands {
		if sub.Name() == name {
			return sub
		}
	}
	return nil
}

func (c *Command) run(args []string) error {
	var help, version bool
	c.flags.BoolVarP(&help, "help", "h", false, "tell how to call "+c.Name())
	if c.Version != "" {
		c.flags.BoolVarP(&version, "version", "v", false, "tell the version")
	}
	if err := c.flags.parse(args); err != nil {
		if f := c.root().FlagError; f != nil {
			return f(c, err)
		}
		return err
	}
	switch {
	case help:
		return c.Help()
	case version:
		_, err := fmt.Fprintln(c.Out(), c.Version)
		return err
	}
	if c.Args != nil {
		if err := c.Args(c, c.flags.args); err != nil {
			return err
		}
	}
	return c.Run(c, c.flags.args)
}

// Help prints what the command is for, and how it is called.
func (c *Command) Help() error {
	var b strings.Builder
	text := c.Long
	if text == "" {
		text = c.Short
	}
	b.WriteString(strings.TrimSpace(text) + "\n\nUsage:\n")
	if len(c.commands) > 0 {
		fmt.Fprintf(&b, "  %s COMMAND\n\nCommands:\n", c.Name())
		width := 0
		for _, sub := range c.commands {
			width = max(width, len(sub.Name()))
		}
		for _, sub := range c.commands {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, sub.Name(), sub.Short)
		}
		fmt.Fprintf(&b, "\n\"%s COMMAND --help\" tells more of one.\n", c.Name())
	} else {
		use := c.Use
		if c.parent != nil {
			use = c.parent.Name() + " " + use
		}
		fmt.Fprintf(&b, "  %s [flags]\n", use)
		fmt.Fprintf(&b, "\nFlags:\n%s", c.flags.usages())
	}
	_, err := io.WriteString(c.Out(), b.String())
	return err
}

// Guess names the command that is closest to a name; "" if none is close.
func (c *Command) Guess(name string) string {
	best, least := "", 3
	for _, sub := range c.commands {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), sub.Name()); d < least {
			best, least = sub.Name(), d
		}
		if best == "" && len(name) > 2 && strings.HasPrefix(sub.Name(), strings.ToLower(name)) {
			best = sub.Name()
		}
	}
	return best
}

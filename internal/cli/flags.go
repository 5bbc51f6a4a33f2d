package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Flags are the flags of a command, as GNU programs read them: --name value or
// --name=value, --name alone for a bool, one letter behind one hyphen, anywhere
// among the arguments, up to "--".
type Flags struct {
	list []*Flag
	args []string
}

// A Flag is one of them.
type Flag struct {
	Name    string
	letter  string
	usage   string // the value's name stands in backquotes
	hidden  bool
	isBool  bool
	set     func(string) error
	given   []string // the values, as they were given
	initial string   // what help calls the default
}

// StringVar adds a flag with a text, by default value.
func (f *Flags) StringVar(p *string, name, value, usage string) {
	f.StringVarP(p, name, "", value, usage)
}

// StringVarP is StringVar with a letter.
func (f *Flags) StringVarP(p *string, name, letter, value, usage string) {
	*p = value
	f.add(&Flag{Name: name, letter: letter, usage: usage, initial: value, set: func(s string) error {
		*p = s
		return nil
	}})
}

// StringArrayVar adds a flag that may be given several times.
func (f *Flags) StringArrayVar(p *[]string, name string, value []string, usage string) {
	*p = value
	f.add(&Flag{Name: name, usage: usage, set: func(s string) error {
		*p = append(*p, s)
		return nil
	}})
}

// IntVar adds a flag with a number, by default value.
func (f *Flags) IntVar(p *int, name string, value int, usage string) {
	*p = value
	f.add(&Flag{Name: name, usage: usage, set: func(s string) (err error) {
		*p, err = strconv.Atoi(s)
		return err
	}})
}

// BoolVar adds a flag that is true or false, by default value.
func (f *Flags) BoolVar(p *bool, name string, value bool, usage string) {
	f.BoolVarP(p, name, "", value, usage)
}

// BoolVarP is BoolVar with a letter.
func (f *Flags) BoolVarP(p *bool, name, letter string, value bool, usage string) {
	*p = value
	f.add(&Flag{Name: name, letter: letter, usage: usage, isBool: true, set: func(s string) (err error) {
		*p, err = strconv.ParseBool(s)
		return err
	}})
}

func (f *Flags) add(flag *Flag) { f.list = append(f.list, flag) }

// MarkHidden leaves a flag out of the help.
func (f *Flags) MarkHidden(name string) { f.named(name).hidden = true }

// Changed tells whether a flag was given.
func (f *Flags) Changed(name string) bool { return f.named(name).given != nil }

// Each calls do for the flags that were given, sorted by name.
func (f *Flags) Each(do func(name string, isBool bool, values []string)) {
	list := slices.Clone(f.list)
	slices.SortFunc(list, func(a, b *Flag) int { return strings.Compare(a.Name, b.Name) })
	for _, flag := range list {
		if flag.given != nil {
			do(flag.Name, flag.isBool, flag.given)
		}
	}
}

// named finds a flag that must be there.
func (f *Flags) named(name string) *Flag {
	i := slices.IndexFunc(f.list, func(flag *Flag) bool { return flag.Name == name })
	if i < 0 {
		return &Flag{}
	}
	return f.list[i]
}

// parse reads arguments, and keeps those that are no flags.
func (f *Flags) parse(args []string) error {
	f.args = nil
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			f.args = append(f.args, args[i+1:]...)
			return nil
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			f.args = append(f.args, arg)
			continue
		}
		name, value, has := strings.Cut(arg, "=")
		var flag *Flag
		switch {
		case strings.HasPrefix(name, "--"):
			if flag = f.named(name[2:]); flag.Name == "" || name == "--" {
				return fmt.Errorf("unknown flag: %s", name)
			}
		default:
			j := slices.IndexFunc(f.list, func(flag *Flag) bool { return flag.letter == name[1:2] })
			if j < 0 {
				return fmt.Errorf("unknown flag: -%s", name[1:2])
			}
			if flag = f.list[j]; len(name) > 2 { // -oFILE
				value, has = arg[2:], true
			}
			name = "-" + flag.letter
		}
		switch {
		case has:
		case flag.isBool:
			value = "true"
		case i+1 == len(args):
			return fmt.Errorf("flag needs an argument: %s", name)
		default:
			i++
			value = args[i]
		}
		if err := flag.set(value); err != nil {
			if e, ok := err.(*strconv.NumError); ok {
				err = e.Err
			}
			return fmt.Errorf("invalid argument %q for %q flag: %w", value, "--"+flag.Name, err)
		}
		flag.given = append(flag.given, value)
	}
	return nil
}

// usages is the list for help.
func (f *Flags) usages() string {
	var left, right []string
	width := 0
	for _, flag := range f.list {
		if flag.hidden {
			continue
		}
		l := "      --" + flag.Name
		if flag.letter != "" {
			l = "  -" + flag.letter + ", --" + flag.Name
		}
		usage, what := unquote(flag.usage)
		switch {
		case flag.isBool:
		case what != "":
			l += " " + what
		default:
			l += " value"
		}
		if flag.initial != "" {
			usage += fmt.Sprintf(" (default %q)", flag.initial)
		}
		width = max(width, len(l))
		left, right = append(left, l), append(right, usage)
	}
	var b strings.Builder
	for i, l := range left {
		fmt.Fprintf(&b, "%-*s   %s\n", width, l, right[i])
	}
	return b.String()
}

// unquote takes the name of the value out of a usage.
func unquote(usage string) (text, what string) {
	before, rest, ok := strings.Cut(usage, "`")
	if !ok {
		return usage, ""
	}
	what, after, _ := strings.Cut(rest, "`")
	return before + what + after, what
}

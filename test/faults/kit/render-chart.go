// Renders a Helm chart with Go's template engine and sprig, for machines that have Debian's packages instead of helm:
// go run render-chart.go CHART RELEASE NAMESPACE [VALUES.yaml]
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func main() {
	folder, release, namespace := os.Args[1], os.Args[2], os.Args[3]
	chart := readYaml(filepath.Join(folder, "Chart.yaml"))
	values := readYaml(filepath.Join(folder, "values.yaml"))
	for _, file := range os.Args[4:] {
		values = merge(values, readYaml(file))
	}
	scope := map[string]interface{}{
		"Values":  values,
		"Chart":   map[string]interface{}{"Name": chart["name"], "Version": chart["version"], "AppVersion": chart["appVersion"]},
		"Release": map[string]interface{}{"Name": release, "Namespace": namespace, "Service": "Helm", "IsInstall": true},
	}
	set := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := set.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	set.Funcs(functions)
	files, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		template.Must(set.New(filepath.Base(file)).Parse(string(text)))
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out bytes.Buffer
		check(set.ExecuteTemplate(&out, name, scope))
		// Helm does the same: a value that does not exist is empty.
		fmt.Printf("---\n# Source: dockbell/templates/%s\n%s\n", name, strings.ReplaceAll(out.String(), "<no value>", ""))
	}
}

func readYaml(file string) map[string]interface{} {
	text, err := os.ReadFile(file)
	check(err)
	value := map[string]interface{}{}
	check(yaml.Unmarshal(text, &value))
	return value
}

// merge sets the values of other in base. Only maps are merged.
func merge(base, other map[string]interface{}) map[string]interface{} {
	for key, value := range other {
		inner, isMap := value.(map[string]interface{})
		current, wasMap := base[key].(map[string]interface{})
		if isMap && wasMap {
			base[key] = merge(current, inner)
		} else {
			base[key] = value
		}
	}
	return base
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

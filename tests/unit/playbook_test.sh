#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# ansible-lint finds nothing in tools/fleet, and Ansible reads its playbook. Exit status 77: a program is missing.
# usage: playbook_test.sh TOP
set -euo pipefail
for program in ansible-lint ansible-playbook; do
    command -v "$program" >/dev/null || {
        echo "SKIP: no $program: tools/install-packages"
        exit 77
    }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Both programs write where they run, and into HOME.
cp -r "$1/tools/fleet" "$scratch/fleet"
cd "$scratch/fleet"
export HOME=$scratch ANSIBLE_CONFIG=$scratch/fleet/ansible.cfg ANSIBLE_LOCAL_TEMP=$scratch/tmp ANSIBLE_NOCOLOR=1
ansible-lint --offline --nocolor --profile production --strict
ansible-playbook --inventory hosts.example.yml --syntax-check site.yml
# A playbook that is wrong is found.
sed -i 's/^  become: true/  become_all: true/' site.yml
! ansible-lint --offline --nocolor --profile production site.yml >"$scratch/said" 2>&1 || {
    echo "FAIL: ansible-lint takes a wrong playbook"
    exit 1
}

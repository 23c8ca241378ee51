"""Logs in which secrets of many kinds stand in every place that an agent writes to.

Every secret, account and home folder holds the word "hidden" and a number of its own, so that one
search finds any of them and tells which. `write(home, project)` writes a log of each agent.
"""
import itertools
import json
import os
import re

LEAK = re.compile(r"hidden[_-]?\d{4}", re.IGNORECASE)

# What a person may have typed or a file may hold. # is the number.
SHAPED = {
    "GitHub": "ghp_hidden#aB3dE5fG7hJ9kL1mN3pQ5rS7tU",
    "GitHub, fine": "github_pat_11hidden#AB_cD3eF5gH7iJ9kL1mN3oP5qR7",
    "GitLab": "glpat-hidden#aB3dE5fG7h",
    "OpenAI": "sk-proj-hidden#aB3dE5fG7hJ9kL1mN3pQ5rS7tU",
    "Anthropic": "sk-ant-api03-hidden#aB3dE5fG7hJ9kL1mN3pQ5",
    "Slack": "xoxb-123456789012-hidden#aBcDeFgH",
    "Slack app": "xapp-1-A0123456789-hidden#aB3dE5fG7h",
    "Stripe": "sk_live_hidden#aB3dE5fG7hJ9kL",
    "Stripe webhook": "whsec_hidden#aB3dE5fG7hJ9kL",
    "Google": "AIzaSyhidden#aB3dE5fG7hJ9kL1mN3pQ5",
    "Google, access": "ya29.hidden#aB3dE5fG7hJ9kL1mN3pQ5",
    "npm": "npm_hidden#aB3dE5fG7hJ9kL1mN3pQ5",
    "PyPI": "pypi-AgEIcHlwaS5vcmcChidden#aB3dE5fG7hJ9",
    "Hugging Face": "hf_hidden#aB3dE5fG7hJ9kL1mN3pQ5",
    "JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJoaWRkZW4ifQ.hidden#aB3dE5fG7hJ9",
    "DigitalOcean": "dop_v1_hidden#aB3dE5fG7hJ9kL1mN3pQ5",
    "SendGrid": "SG.hidden#aB3dE5fG7hJ9.kL1mN3pQ5rS7",
    "Telegram": "123456789:AAhidden#aB3dE5fG7hJ9kL1mN3pQ5rS",
    "Shopify": "shpat_hidden#aB3dE5fG7hJ9kL1m",
    "Databricks": "dapihidden#0123456789abcdef01",
    "Vault": "hvs.hidden#aB3dE5fG7hJ9kL1mN3pQ5",
    "age": "AGE-SECRET-KEY-1HIDDEN#QXJZAPWD",
    "Atlassian": "ATATT3xFfGFhidden#aBcdEfgH",
    "Azure": "hidden#aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7pQ9rS1tU3vW5xY7zA9bC1dE3fG5==",
    "Docker": "dckr_pat_hidden#aBcdEfghJklm",
    "Figma": "figd_hidden#aBcdEfghJklm",
    "GitLab, runner": "glrt-hidden#aBcdEfghJ",
    "Grafana": "glsa_hidden#aBcdEfghJklm_3fa0",
    "Groq": "gsk_hidden#aBcdEfghJklm",
    "Linear": "lin_api_hidden#aBcdEfghJklm",
    "Postman": "PMAK-hidden#0a1bcdef-0a1bcdef",
    "Supabase": "sbp_hidden#0a1bcdef0a1bcdef",
    "Tailscale": "tskey-auth-hidden#CNTRL-aBcdEfgh",
    "xAI": "xai-hidden#aBcdEfghJklm",
}
PLAIN = "Hidden#pw"
USER = "hidden#"

# Command lines; $P is a secret without a shape, $U an account, $T one of the shaped secrets.
COMMANDS = r"""
git clone https://$U:$P@git.example/team/repo.git
git clone https://$T@github.com/team/repo
git clone ssh://$U@corp.example@git.example/repo.git
git clone $U@corp.example:team/repo.git
git remote set-url origin https://oauth2:$T@gitlab.com/team/repo
git -c http.extraheader="AUTHORIZATION: basic $P" fetch
git config user.email $U@corp.example
git commit -m "use $P as the password" --author="A <$U@corp.example>"
git push https://$U%40corp.example:$P@git.example/x HEAD:main
curl -H "Authorization: Bearer $P" https://api.example/v1/x
curl -H 'X-Api-Key: $T' https://api.example/v1/x -o /home/$U/out.json
curl -u $U:$P https://api.example/$P?token=$P#$P
curl --user "$U:$P" ftp://$U:$P@ftp.example/x
curl -d 'password=$P&user=$U' https://login.example
curl -b "session=$P" --cookie-jar /home/$U/jar https://api.example
curl "https://api.example/bot$T/send"
wget --user=$U --password=$P https://dl.example/x.tgz -O "/Users/$U/x.tgz"
http POST api.example/login password=$P Authorization:"Bearer $P"
TOKEN=$P DB_PASSWORD='$P' ./deploy.sh
export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/$P
env API_KEY=$P PGPASSWORD=$P psql -h db.example -U $U -c 'select 1'
PASSWORD="$P"; echo "$P" | sudo -S apt-get install -y x
read -s PW <<< "$P"
set -x TOKEN $P
aws configure set aws_secret_access_key wJalrXUtnFEMI/K7MDENG/bPx$P
aws s3 cp s3://bucket/$P/x . --profile $U
mysql -u $U -p$P -h db.example app
mysql --password=$P --user=$U app
mysqldump -p$P app > /home/$U/dump.sql
psql "postgres://$U:$P@db.example:5432/app"
psql "host=db.example password=$P user=$U"
mongosh "mongodb+srv://$U:$P@cluster.example/app"
redis-cli -a $P -h cache.example ping
redis-cli -u redis://:$P@cache.example:6379
sshpass -p $P ssh $U@host.example ls
sshpass -p '$P' scp -i /home/$U/.ssh/id_rsa x $U@host.example:/home/$U/y
rsync -a ./ $U@host.example:/home/$U/site
docker login -u $U -p $P registry.example
docker run -e TOKEN=$P -v /home/$U:/data image
docker build --build-arg NPM_TOKEN=$T .
kubectl create secret generic db --from-literal=password=$P
kubectl --token=$P get pods
helm upgrade app ./chart --set auth.password=$P,auth.user=$U
gh auth login --with-token <<< "$T"
gh api -H "Authorization: token $T" /user
npm config set //registry.example/:_authToken=$T
npm publish --otp=$P
pip install --index-url https://$U:$P@pypi.example/simple pkg
twine upload -u __token__ -p $T dist/x.whl
openssl enc -aes-256-cbc -k $P -in a.txt -out a.enc
openssl rsa -passin pass:$P -in /home/$U/key.pem
gpg --passphrase $P --batch -d x.gpg
zip -P $P out.zip a.txt
7z x -p$P a.7z
htpasswd -bc /etc/nginx/htpasswd $U $P
echo "$P" > /home/$U/.token
echo $T | tee -a .env
printf '%s' '$P' | base64
cat > .env <<EOF\nTOKEN=$P\nAPI_KEY=$T\nEOF
cat <<'EOF' > key.pem\n-----BEGIN RSA PRIVATE KEY-----\n$P\n-----END RSA PRIVATE KEY-----\nEOF
python3 - <<'PY'\nimport requests\nrequests.get("https://$U:$P@api.example", headers={"Authorization": "Bearer $P"})\nopen("/home/$U/x")\nPY
python3 -c "token='$P'; print(token)"
python3 manage.py createsuperuser --username $U --email $U@corp.example
python3 /home/$U/tools/run.py --token $P
node -e "process.env.TOKEN='$P'"
bash -lc "export TOKEN=$P; curl -u $U:$P https://api.example"
sudo -u $U env TOKEN=$P make deploy
su - $U -c "ls /home/$U"
ls /home/$U/work /Users/$U /root/$U C:\\\\Users\\\\$U\\\\x /mnt/c/Users/$U
cat ~$U/notes.txt ~/$U ~/.aws/credentials
cat "C:\\\\Users\\\\$U\\\\secret.txt" 'D:\\\\Users\\\\$U' C:Users\\\\$U\\\\x
cat '\\\\\\\\server\\\\Users\\\\$U\\\\x' file:///home/$U/x file:/home/$U/x file://localhost/home/$U/x
cp /home/$U/a /var/home/$U/b
cd /home/$U/other && cat x.txt && cat sub/$T
cd ../../$U && ls
rm -rf ../../../home/$U/x
tar czf backup-$T.tgz src
tar xf $U@corp.example.tar
find /home/$U -name '*.pem' -exec cat {} +
grep -r "$P" src/ --include=*.py
rg -e $T src
sed -i 's/$P/x/' config.py
awk '/$P/' log.txt
$T
./$T --run
$T=1 make
vault kv put secret/app password=$P
vault login $T
terraform apply -var "db_password=$P"
ansible-playbook site.yml -e "ansible_password=$P" --user $U
systemctl --user restart x; journalctl _UID=$P
mail -s hi $U@corp.example < body.txt
ssh-keygen -f /home/$U/.ssh/id -N "$P" -C $U@corp.example
scp $U@host.example:/srv/$T .
nc $T.host.example 80
ping $T.example
ffmpeg -i "rtsp://$U:$P@cam.example/stream" out.mp4
xdg-open "https://u.example/reset?code=$P"
cat .claude/projects/-home-$U-work/x.jsonl .cache/-Users-$U-x/y C--Users-$U/z
sqlite3 /home/$U/db.sqlite "select '$P'"
curl $U:$P@host.example/x
curl -u$U:$P https://api.example/x
curl -U $U:$P -x http://$U:$P@proxy.example:3128 https://api.example
curl --oauth2-bearer $P --cert /home/$U/c.pem:$P https://api.example
curl "https://a.example:443@$U:$P@b.example/"
curl https://a.example/?u=https://$U:$P@b.example
curl HTTPS://$U:$P@A.EXAMPLE
curl //$U:$P@a.example
curl "http://[::1]:$P/" "http://a.example:80$P/"
lftp -u $U,$P ftp.example -e 'ls'
smbclient //host.example/share -U $U%$P
mount -t cifs -o username=$U,password=$P //host/share /mnt
set PASSWORD=$P
declare -x TOKEN=$P; local pw=$P; readonly KEY=$P
TOKENS=($P $T)
TOKENS+=($P '$T') make
declare -a KEYS=([0]=$P "$T")
X+=$P make
a[0]=$P
for pw in $P $T; do echo "$pw"; done
case $P in $T) echo x;; esac
if [[ $x == $P ]]; then make; fi
select x in $P $T; do break; done
function f { $T; }
alias x='curl -u $U:$P'
trap 'echo $P' EXIT
time TOKEN=$P make
{ TOKEN=$P make; }
x=$(TOKEN=$P make) && echo `TOKEN=$P make`
diff <(echo $P) <(curl -u $U:$P https://a.example)
printf -v x %s $P
expect -c 'spawn ssh $U@h.example; send "$P\r"'
echo "$U:$P" | chpasswd
chpasswd <<< "$U:$P"
keytool -storepass $P -keystore /home/$U/k.jks -list
consul kv put x/$T $P
redis-cli -h h.example AUTH $P
http :8080/login pw==$P
swaks --to $U@corp.example --auth-user $U --auth-password $P --server mail.example
nmcli dev wifi connect ssid password $P
restic -r rest:https://$U:$P@backup.example/repo backup /home/$U
borg create ssh://$U@h.example/./repo::$T /home/$U
git remote add $T https://$T:x-oauth-basic@github.com/o/r
git checkout -b $U/$T
git tag -a $T -m "$P"
git -c credential.helper='!f() { echo "password=$P"; }; f' pull
gh secret set TOKEN -b"$P"
heroku config:set TOKEN=$P -a app
az storage blob list --account-key $P== --sas-token "sv=1&sig=$P"
cargo publish --token $T
docker run -eTOKEN=$P --env=KEY=$T -v/home/$U:/x img
docker pull $U:$P@registry.example/img
kubectl exec p -- env TOKEN=$P make
mysql -u$U -p$P app < /home/$U/d.sql
pg_dump "postgresql://$U:$P@h.example/db" > dump-$T.sql
ssh -i /home/$U/.ssh/k $U@h.example "TOKEN=$P make"
ssh -o ProxyCommand="nc -X $U:$P %h %p" h.example
plink -pw $P $U@h.example
telnet h.example 25 <<< "AUTH LOGIN $P"
npx cross-env TOKEN=$P node x.js
npx -y @scope/$T
env -S "TOKEN=$P make"
nohup env TOKEN=$P make &
parallel curl -u $U:$P ::: $P $T
watch -n1 "curl -u $U:$P https://a.example"
tmux send-keys -t x "export TOKEN=$P" Enter
cat > config-$T.env
mv $T backup && ln -s /home/$U/x $T
rm -- -$T
cat 'Bearer $T' "token: $T"
cat postgres://$U:$P@h/db s3://$U:$P@b/x $T:$P
scp $T@h.example:x y
perl -pi -e "s/x/$P/" .env
echo "machine h login $U password $P" >> ~/.netrc
rsync --password-file=/home/$U/p $U@h.example::m .
iex "& { $(irm https://$U:$P@a.example) }"
$cred = New-Object PSCredential("$U", (ConvertTo-SecureString "$P" -AsPlainText -Force))
Invoke-WebRequest -Headers @{Authorization="Bearer $P"} https://api.example
$env:TOKEN="$P"; dotnet run
""".strip().splitlines()

TOOLS = [
    ("Read", {"file_path": "/home/$U/x/y.txt"}),
    ("Read", {"file_path": "$PROJECT/keys/$T"}),
    ("Read", {"file_path": "C:\\Users\\$U\\x.txt"}),
    ("Read", {"file_path": "C:Users\\$U\\x.txt"}),
    ("Read", {"file_path": "file:///home/$U/x"}),
    ("Read", {"file_path": "file:/home/$U/x"}),
    ("Read", {"file_path": "file://host/home/$U/x"}),
    ("Read", {"file_path": "~$U/x"}),
    ("Read", {"file_path": "sub/../../../$U/x"}),
    ("Read", {"file_path": "$PROJECT/token=$P/$U@corp.example/x"}),
    ("Read", {"file_path": "$PROJECT/mail/$U@corp.example.txt"}),
    ("Read", {"file_path": "$PROJECT/.x/-home-$U-work/memory.md"}),
    ("Write", {"file_path": "$PROJECT/src/a.py", "content": "TOKEN = '$T'\nPASSWORD = '$P'"}),
    ("Edit", {"file_path": "$PROJECT/src/a.py", "old_string": "$P", "new_string": "$T"}),
    ("MultiEdit", {"file_path": "$PROJECT/src/a.py", "edits": [{"old_string": "$P", "new_string": "$T"}]}),
    ("NotebookEdit", {"notebook_path": "/Users/$U/x.ipynb", "new_source": "$P"}),
    ("Grep", {"pattern": "$P", "path": "/home/$U/src", "glob": "$T"}),
    ("Glob", {"pattern": "/home/$U/**/$P"}),
    ("LS", {"path": "/Users/$U"}),
    ("WebFetch", {"url": "https://$U:$P@docs.example/$P?key=$T#$P", "prompt": "find $P"}),
    ("WebFetch", {"url": "https://docs.example:$P/"}),
    ("WebFetch", {"url": "https://$T.docs.example/"}),
    ("WebSearch", {"query": "what is $P of $U@corp.example"}),
    ("Task", {"description": "use $P", "prompt": "log in as $U with $P", "subagent_type": "general-purpose"}),
    ("TodoWrite", {"todos": [{"content": "rotate $P", "status": "pending", "activeForm": "$P"}]}),
    ("Skill", {"skill": "$T", "args": "$P"}),
    ("mcp__db__query", {"sql": "select '$P'", "dsn": "postgres://$U:$P@db.example/app"}),
    ("mcp__$T__get", {"path": "/home/$U/x", "token": "$P"}),
    ("$T", {"command": "$P"}),
    ("KillShell", {"shell_id": "$T"}),
    ("browser_navigate", {"url": "http://$U:$P@app.example/login?password=$P"}),
]

TEXTS = ["Log in to https://$U:$P@git.example as $U@corp.example", "The token is $T, my password: $P",
         "Authorization: Bearer $P", "export AWS_SECRET_ACCESS_KEY=$P", "see /home/$U/x and C:\\Users\\$U",
         "-----BEGIN PRIVATE KEY-----\n$P\n-----END PRIVATE KEY-----", "password is $P and api_key=$T"]


class Planter:
    def __init__(self, project):
        self.numbers = itertools.count(1000)
        self.shaped = itertools.cycle(SHAPED.values())
        self.project = project

    def fill(self, value):
        if isinstance(value, dict):
            return {self.fill(key): self.fill(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.fill(inner) for inner in value]
        if not isinstance(value, str):
            return value

        def one(match):
            kind = match.group()
            if kind == "$PROJECT":
                return self.project
            form = {"$P": PLAIN, "$U": USER}.get(kind) or next(self.shaped)
            return form.replace("#", str(next(self.numbers)))

        return re.sub(r"\$PROJECT|\$[PUT](?![a-z])", one, value)

    def calls(self):
        """Every tool call, as (name, arguments)."""
        for command in COMMANDS:
            command = command.replace("\\n", "\n").replace("\\\\", "\\")
            for _ in range(1 + 2 * command.count("$T")):
                yield "Bash", self.fill({"command": command, "description": "with $P"})
        for name, arguments in TOOLS:
            for _ in range(len(SHAPED) if "$T" in name + json.dumps(arguments) else 1):
                yield self.fill(name), self.fill(arguments)


def claude(planter, project):
    second = itertools.count()

    def line(kind, message, **more):
        now = next(second)
        return {"type": kind, "sessionId": "5ec2e700-0000-4000-8000-000000000001", "cwd": project,
                "version": "2.1.39", "gitBranch": planter.fill("fix/$U/$T"),
                "uuid": f"00000000-0000-4000-8000-{now:012d}",
                "timestamp": f"2026-07-01T{now // 3600:02d}:{now // 60 % 60:02d}:{now % 60:02d}.000Z",
                "message": message, **more}

    yield {"type": "summary", "summary": planter.fill("Rotate $T for $U"), "leafUuid": "x"}
    yield {"type": "ai-title", "aiTitle": planter.fill("$P and $T"),
           "sessionId": "5ec2e700-0000-4000-8000-000000000001"}
    for text in TEXTS:
        yield line("user", {"role": "user", "content": planter.fill(text)})
    yield line("user", {"role": "user", "content": planter.fill("<bash-input>curl -u $U:$P x</bash-input>")})
    yield line("user", {"role": "user", "content": planter.fill("<command-name>/$T</command-name> $P")})
    for number, (name, arguments) in enumerate(planter.calls()):
        tool = f"toolu_01{number:022d}"
        content = [{"type": "thinking", "thinking": planter.fill("$P")},
                   {"type": "text", "text": planter.fill("I use $T and $P of $U")},
                   {"type": "tool_use", "id": tool, "name": name, "input": arguments}]
        yield line("assistant", {"id": f"msg_01{number:022d}", "role": "assistant", "type": "message",
                                 "model": "claude-opus-4-5", "content": content,
                                 "usage": {"input_tokens": 1, "output_tokens": 2}})
        yield line("user", {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": tool, "is_error": number % 7 == 0,
             "content": planter.fill("$P: no such user $U, token $T")}]},
            toolUseResult={"stdout": planter.fill("$P")})
    # Names that a log gives itself.
    yield line("assistant", {"id": planter.fill("$T"), "role": "assistant", "model": planter.fill("$T"),
                             "content": [{"type": "text", "text": "x"}],
                             "usage": {"input_tokens": 1, "output_tokens": 2}},
               requestId=planter.fill("$T"), isSidechain=True, agentId=planter.fill("$T"))
    yield dict(line("user", {"role": "user", "content": "x"}), sessionId=planter.fill("$T"),
               cwd=planter.fill("/home/$U"))


def codex(planter, project):
    second = itertools.count()

    def line(kind, payload):
        now = next(second)
        return {"timestamp": f"2026-07-02T{now // 3600:02d}:{now // 60 % 60:02d}:{now % 60:02d}.000Z",
                "type": kind, "payload": payload}

    yield line("session_meta", {"id": "019c0000-0000-7000-8000-000000000001", "cwd": project,
                                "cli_version": "0.104.0", "source": "cli",
                                "git": {"repository_url": planter.fill("https://$U:$P@git.example/x"),
                                        "branch": planter.fill("$U/$T")},
                                "instructions": planter.fill("$P")})
    for text in TEXTS:
        yield line("event_msg", {"type": "user_message", "message": planter.fill(text)})
    for number, (name, arguments) in enumerate(planter.calls()):
        call = f"call_{number:024d}"
        if name == "Bash":
            argv = ["bash", "-lc", arguments["command"]]
            name, given = "shell", json.dumps({"command": argv, "workdir": planter.fill("/home/$U")})
        else:
            given = json.dumps(arguments)
        yield line("response_item", {"type": "function_call", "name": name, "arguments": given,
                                     "call_id": call})
        yield line("response_item", {"type": "function_call_output", "call_id": call,
                                     "output": planter.fill("Exit code: 1\nOutput:\n$P $T $U")})
    patch = ("*** Begin Patch\n*** Add File: /home/$U/x\n+TOKEN=$P\n*** Update File: keys/$T\n*** Move to: "
             "../$U/y\n@@\n-$P\n+$T\n*** Delete File: C:\\Users\\$U\\z\n*** End Patch")
    for number in range(len(SHAPED)):
        yield line("response_item", {"type": "custom_tool_call", "name": "apply_patch",
                                     "input": planter.fill(patch), "call_id": f"patch_{number}"})
    yield line("response_item", {"type": "custom_tool_call", "name": "exec", "call_id": "code",
                                 "input": planter.fill("await tools.exec_command({cmd: \"curl -u $U:$P https://a.example\"})")})
    yield line("response_item", {"type": "web_search_call", "status": "completed",
                                 "action": {"type": "search", "query": planter.fill("$P $T")}})
    yield line("response_item", {"type": "local_shell_call", "call_id": "local", "status": "completed",
                                 "action": {"type": "exec", "command": ["env", planter.fill("TOKEN=$P"), "make"],
                                            "working_directory": planter.fill("/home/$U")}})
    for kind, text in (("agent_message", "$P $T"), ("agent_reasoning", "$P")):
        yield line("event_msg", {"type": kind, "message": planter.fill(text), "text": planter.fill(text)})
    yield line("event_msg", {"type": "token_count", "info": {
        "last_token_usage": {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12},
        "total_token_usage": {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}}})


def write(home, project):
    """Writes both logs below `home`."""
    planter = Planter(project)
    for path, lines in ((".claude/projects/-home-x/5ec2e700-0000-4000-8000-000000000001.jsonl", claude),
                        (".codex/sessions/2026/07/02/rollout-2026-07-02T00-00-00-planted.jsonl", codex)):
        path = os.path.join(home, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            for record in lines(planter, project):
                out.write(json.dumps(record) + "\n")

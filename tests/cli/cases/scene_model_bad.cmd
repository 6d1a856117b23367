mkdir below && ln -s /etc below/out && ln -s diamond.ply link.ply
for file in "$PWD/diamond.ply" ../diamond.ply below/../diamond.ply ./diamond.ply below/out/x.ply link.ply \
    nowhere.ply below diamond.lua below.ply/x.ply truncated.ply nan.ply nothing.obj; do
    landfall scene run diamond.lua --set "file=$file"; echo $?
done 2>&1 | sed "s|$PWD|HERE|"
mkdir folder.ply; landfall scene run diamond.lua --set file=folder.ply; echo $?
